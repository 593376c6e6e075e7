// benign: settings of a bundler
const path = require('path');
const webpack = require('webpack');
module.exports = {
  mode: process.env.NODE_ENV || 'development',
  entry: './src/index.js',
  output: { path: path.resolve(__dirname, 'dist'), filename: '[name].[contenthash].js', clean: true },
  plugins: [new webpack.DefinePlugin({ 'process.env.API': JSON.stringify(process.env.API) })],
};
