// What stands for other packages that pages of the manual name, as far as the pages use them.
import type { PageWorld } from './run-page.ts';

/** A shell command that puts a module where Node finds it. */
const module = (name: string, text: string): string =>
  `mkdir -p node_modules/${name}\ncat > node_modules/${name}/index.cjs <<'MODULE'\n${text}\nMODULE\necho '{"main":"index.cjs"}' > node_modules/${name}/package.json`;

/** A main process and one window, joined as Electron joins them: what passes between them is copied. */
export const electron: NonNullable<PageWorld['around']> = {
  before: module(
    'electron',
    `
const shared = (globalThis.electronStandIn ??= { handlers: {}, listeners: {}, exposed: {}, quit: [] });
exports.app = {
  whenReady: async () => {},
  getPath: (name) => require('node:path').join(process.env.HOME, name),
  getVersion: () => '2.1.0',
  on: (event, listener) => event === 'before-quit' && shared.quit.push(listener),
};
exports.ipcMain = { handle: (name, handler) => (shared.handlers[name] = handler) };
exports.ipcRenderer = {
  invoke: async (name, ...args) => structuredClone(await shared.handlers[name]({}, ...args)),
  on: (name, listener) => (shared.listeners[name] = listener),
};
exports.contextBridge = { exposeInMainWorld: (name, api) => (shared.exposed[name] = api) };
exports.BrowserWindow = class {
  constructor({ webPreferences }) { this.preload = webPreferences.preload; }
  webContents = { send: (name, value) => shared.listeners[name]?.({}, structuredClone(value)) };
  async loadFile() {
    require(this.preload);
    const { license } = shared.exposed;
    const heard = [];
    license.onChange(({ code }) => heard.push(code));
    const before = await license.access();
    const wrong = await license.activate('no key');
    const { activated } = await license.activate(process.env.KEY);
    const after = await license.access();
    console.log(JSON.stringify({ before: before.code, wrong: wrong.code, activated, after: after.code, heard }));
    for (const listener of shared.quit) await listener();
  }
};`,
  ),
  after: `
KEY=$(appctl license mint --product editor --email ann@example.com --reveal --json | jq -r .key)
export KEY
node main.js | tail -1 > said.json
cat said.json
jq -e '. == {before: "NO_LICENSE_KEY", wrong: "INVALID_KEY", activated: true, after: "VALID", heard: ["NO_LICENSE_KEY", "VALID"]}' said.json`,
};
