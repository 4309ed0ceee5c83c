/**
 * Starts code-server on the socket that the platform bound and handed over. Without the process that it would put around itself, which
 * does not pass the socket on; and it wants to know an address.
 */
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { Server } = require('node:net');
const { address } = Server.prototype;
Server.prototype.address = function () {
  return address.call(this) ?? 'fd:3';
};

// Here and not by the platform: what is written in a folder of the site's follows its links, and in here those lead nowhere.
const settings = '/home/site/data/Machine';
mkdirSync(settings, { recursive: true });
rmSync(`${settings}/settings.json`, { force: true, recursive: true });
// Whoever has several windows open, that of the stage among them, must see which is which.
const title = `\${dirty}\${activeEditorShort}\${separator}${process.env.SITE_NAME}`;
const own = { ...require('./settings.json'), 'window.title': title };
writeFileSync(`${settings}/settings.json`, JSON.stringify(own, null, 2));

const at = '/opt/code-server/out/node/';
const { parse, setDefaults } = require(`${at}cli`);
setDefaults(parse(process.argv.slice(2)))
  .then((options) => require(`${at}main`).runCodeServer(options))
  .catch((error) => {
    console.error(error);
    process.exit(1);
  });
