/**
 * The look of our mails: the dashboard's colours as programs for mail know them, which is hex. What is in a style sheet is given up by some
 * of them; the letter is readable without it.
 */
export const LETTER_STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; -webkit-text-size-adjust: 100%; }
.page { background: #f7f9f8; }
.preview { display: none; max-height: 0; overflow: hidden; }
.around { padding: 24px 12px 40px; }
.letter { max-width: 560px; font-family: Inter, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; font-size: 15px; line-height: 24px; color: #16211c; text-align: left; }
.head { padding: 8px 8px 20px; }
.card { background: #ffffff; border: 1px solid #e2e8e5; border-radius: 14px; padding: 32px; }
h1 { margin: 0 0 20px; font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -0.01em; overflow-wrap: anywhere; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
a { color: #0b6b49; }
blockquote { margin: 0 0 16px; padding: 4px 0 4px 16px; border-left: 3px solid #cfd8d3; color: #4d5c55; overflow-wrap: anywhere; }
.facts { margin: 0 0 16px; border-collapse: collapse; font-size: 14px; }
.facts th, .facts td { padding: 8px 0; border-top: 1px solid #e2e8e5; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
.facts th { width: 120px; padding-right: 16px; color: #5b6963; }
.action { margin: 8px 0 12px; }
.button { background: #0b7a53; border-radius: 9px; }
.button a { display: inline-block; padding: 12px 22px; color: #ffffff; font-weight: 600; text-decoration: none; }
.address { font-size: 12px; line-height: 18px; color: #5b6963; }
.address a { color: #5b6963; }
.foot { padding: 20px 8px 0; font-size: 12px; line-height: 18px; color: #5b6963; }
.foot p { margin: 0 0 8px; }
.foot a { color: #5b6963; }
.mark { background: #0b7a53; border-radius: 7px; }
.name { padding-left: 10px; font-size: 15px; font-weight: 600; letter-spacing: -0.01em; color: #16211c; }
@media (max-width: 480px) { .card { padding: 24px 20px; } .around { padding: 12px 8px 32px; } .facts th { width: 88px; } }
@media (prefers-color-scheme: dark) {
  .page { background: #0d110f; }
  .letter, .name { color: #eef2f0; }
  .card { background: #151a18; border-color: #272e2b; }
  a { color: #5fd3a0; }
  blockquote { border-color: #3b4540; color: #b3beb8; }
  .facts th, .facts td { border-color: #272e2b; }
  .facts th, .address, .address a, .foot, .foot a { color: #a2ada7; }
  .button, .mark { background: #34b27b; }
  .button a { color: #05130c; }
}
`;

/** Four plots of a yard, drawn with cells: no picture has to be loaded. The same drawing as the dashboard's. */
const plot = (width: number, tone: string) =>
  `<td width="${width}" height="6" style="width:${width}px;height:6px;font-size:0;line-height:0;background:${tone};border-radius:2px"></td>`;
const gap = '<td width="2" style="width:2px;font-size:0;line-height:0"></td>';
const row = (cells: string) =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>${cells}</tr></table>`;
const [full, faint] = ['#ffffff', '#9ccdb9'];

export const MARK = row(
  `<td class="mark" style="padding:6px">${row(plot(8, full) + gap + plot(4, faint))}<div style="height:2px;font-size:0;line-height:0"></div>${row(
    plot(4, faint) + gap + plot(8, full),
  )}</td><td class="name">Siteyard</td>`,
);
