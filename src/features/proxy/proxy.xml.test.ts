import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutCredentials, fillCredentials, requireXml } from './proxy.xml.ts';

test('placeholders become the stored name and password, escaped, whatever is in them', () => {
  const fill = (xml: string, password: string) => fillCredentials(xml, { username: 'ada', password });
  assert.equal(fill('<a>{{username}} {{password}}</a>', 'abcd "efgh"'), '<a>ada abcd "efgh"</a>');
  // None of these is a pattern of a replacement, or a placeholder itself.
  assert.equal(fill('{{password}}', "$& $$ $' {{username}} <&>"), "$&amp; $$ $' {{username}} &lt;&amp;&gt;");
  assert.equal(fill('{{ password }} {{other}}', 'x'), '{{ password }} {{other}}');
});

test('the password is cut from XML that comes back, also where WordPress has escaped its quotation marks', () => {
  const credentials = { username: 'ada', password: `it's "secret" & <more>`, basic: 'YWRhOnNlY3JldA==' };
  const cut = (text: string) => cutCredentials(text, credentials);
  assert.equal(cut(`<a>${credentials.password}</a>`), '<a>[cut]</a>');
  assert.equal(cut(`<a>it's "secret" &amp; &lt;more&gt;</a>`), '<a>[cut]</a>');
  assert.equal(cut('<a>it&#039;s &quot;secret&quot; &amp; &lt;more&gt;</a>'), '<a>[cut]</a>');
  assert.equal(cut('<a>YWRhOnNlY3JldA==</a>'), '<a>[cut]</a>');
});

test('only XML of a call that succeeded comes back', () => {
  const incoming = (status: number, type: string) => ({
    status,
    headers: { 'content-type': type },
    body: Buffer.from('x'),
  });
  for (const type of ['text/xml', 'application/xml; charset=UTF-8', 'TEXT/XML'])
    assert.equal(requireXml(incoming(200, type)), 'x', type);
  for (const [status, type] of [
    [200, 'text/html'],
    [200, 'text/xmlx'],
    [200, ''],
    [500, 'text/xml'],
    [301, 'text/xml'],
  ] as const)
    assert.throws(() => requireXml(incoming(status, type)), { code: 'proxy.no_xml', status: 502 }, type);
});
