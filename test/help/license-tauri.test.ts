import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { keyOfOneMachine, siteOf } from './page-in-chromium.ts';
import { prepared, testPage } from './run-page.ts';

const site = await siteOf();

/** What Tauri's packages do in the web view, as far as the page uses them. */
const standIns: Record<string, string> = {
  '@tauri-apps/api/app': `export const getVersion = async () => '2.1.0';`,
  '@tauri-apps/plugin-http': 'export const fetch = (url, init) => globalThis.fetch(url, init);',
  '@tauri-apps/plugin-os': `export const platform = () => 'macos', arch = () => 'aarch64', hostname = async () => null;`,
};

interface Module {
  access(): Promise<{ code: string; allowed: boolean }>;
  enterKey(key: string): Promise<{ activated: boolean; code: string }>;
}

testPage('license-tauri', {
  serve: [],
  after: prepared,
  around: {
    before: `API_KEY=$(appctl apikey create --service license --name view --scope VALIDATE_ONLY --product editor --origin http://127.0.0.1:5173 --json | jq -r .secret)
sed -i.before "s/apiKey: .*/apiKey: '$API_KEY',/" vendor.js`,
    after: keyOfOneMachine,
  },
  instead: async () => site.instead,
  visit: async (cwd) => {
    writeFileSync(
      join(cwd, 'entry.js'),
      `import * as license from './license.js'; window.license = license;`,
    );
    await build({
      absWorkingDir: cwd,
      entryPoints: ['entry.js'],
      bundle: true,
      format: 'esm',
      target: 'es2022',
      outfile: join(cwd, 'bundle.js'),
      plugins: [
        {
          name: 'stand-ins',
          setup(bundler) {
            bundler.onResolve({ filter: /^@tauri-apps/ }, ({ path }) => ({ path, namespace: 'stand-in' }));
            bundler.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
              contents: standIns[path] ?? '',
            }));
          },
        },
      ],
    });
    writeFileSync(join(cwd, 'index.html'), '<!doctype html><script type="module" src="/bundle.js"></script>');
    const key = readFileSync(join(cwd, 'key.txt'), 'utf8').trim();
    const said = await site.look(cwd, async (context) => {
      const page = await context.newPage();
      await page.goto(site.origin);
      await page.waitForFunction('window.license');
      return page.evaluate(inWebView, key);
    });
    expect(said).toEqual(['NO_LICENSE_KEY', 'ACTIVATED', 'VALID']);
  },
});

async function inWebView(key: string) {
  const { license } = globalThis as unknown as { license: Module };
  const before = await license.access();
  const entered = await license.enterKey(key);
  return [before.code, entered.code, (await license.access()).code];
}
