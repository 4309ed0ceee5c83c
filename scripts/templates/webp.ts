import type { Browser } from 'playwright-core';

/** A picture in another size and as WebP, drawn by a browser. */
export async function toWebp(
  browser: Browser,
  source: string,
  { width, height, quality }: { width: number; height: number; quality: number },
): Promise<Buffer> {
  const page = await browser.newPage();
  const program = `(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(source)};
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, ${width}, ${height});
    return canvas.toDataURL('image/webp', ${quality});
  })()`;
  try {
    const url = await page.evaluate<string>(program);
    return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  } finally {
    await page.close();
  }
}
