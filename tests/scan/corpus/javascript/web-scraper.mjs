// benign: titles of a page
import * as cheerio from 'cheerio';
const html = await (await fetch('https://news.ycombinator.com/')).text();
const $ = cheerio.load(html);
$('.titleline > a').each((i, el) => console.log(i + 1, $(el).text()));
