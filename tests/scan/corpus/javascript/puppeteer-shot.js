// benign: a picture of a page
const puppeteer = require('puppeteer');
(async () => {
  const browser = await puppeteer.launch({ headless: 'new' });
  const page = await browser.newPage();
  await page.goto('https://example.com');
  await page.screenshot({ path: 'shot.png', fullPage: true });
  const title = await page.evaluate(() => document.title);
  console.log(title);
  await browser.close();
})();
