// benign: tasks
const { src, dest, series, parallel, watch } = require('gulp');
const del = require('del');
const sass = require('gulp-sass')(require('sass'));
const clean = () => del(['dist/**']);
const css = () => src('scss/*.scss').pipe(sass()).pipe(dest('dist/css'));
const js = () => src('js/**/*.js').pipe(dest('dist/js'));
exports.default = series(clean, parallel(css, js));
exports.watch = () => watch('scss/*.scss', css);
