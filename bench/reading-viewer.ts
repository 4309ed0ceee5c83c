/** Reads the files of a site's newest backup again and again, until it is killed. Arguments: address, token, site. */
const [url = '', token = '', site = ''] = process.argv.slice(2);
console.log('ready: 0');
for (;;) {
  const answer = await fetch(`${url}/api/v1/site/${site}/pit_files`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`the files were answered with ${answer.status}`);
  await answer.arrayBuffer();
}
