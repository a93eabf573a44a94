// The client SDK as an application gets it: built, alone in its package, without this program around it.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicKeyToPem, signingKeyOf } from '#kernel/ed25519.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const repository = join(import.meta.dirname, '../..');
const rootKey = publicKeyToPem(signingKeyOf(new Uint8Array(32)).publicKey);

let folder: string;
const built = () => join(folder, 'node_modules/appctl-client');
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

beforeAll(() => {
  folder = scratchFolder('appctl-consumer-');
  const script = join(repository, 'bin/build-client.ts');
  execFileSync(process.execPath, [script, '--out', built()], { stdio: 'pipe' });
  write('package.json', '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('modules and declarations import only one another; the one for Node also Node', () => {
  const names = readdirSync(built());
  const main = ['README.md', 'index.d.ts', 'index.js', 'node.d.ts', 'node.js', 'package.json'];
  expect(names).toEqual(expect.arrayContaining(main));
  expect(names.filter((name) => name.endsWith('.js'))).toEqual(['index.js', 'node.js']);
  for (const name of names.filter((file) => /\.(js|ts)$/.test(file))) {
    const text = readFileSync(join(built(), name), 'utf8');
    for (const [, target = ''] of text.matchAll(/\b(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (name === 'node.js' && target.startsWith('node:')) continue;
      expect(target).toMatch(/^\.\/[\w-]+\.js$/);
      expect(names).toContain(target.slice(2).replace(/\.js$/, name.endsWith('.d.ts') ? '.d.ts' : '.js'));
    }
  }
});

test('the package has a name of its own and depends on nothing', () => {
  const own = JSON.parse(readFileSync(join(built(), 'package.json'), 'utf8'));
  const { version, exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  expect(own).toMatchObject({
    name: 'appctl-client',
    version,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
  });
  expect(Object.keys(own).filter((name) => /dependencies|scripts|bin/i.test(name))).toEqual([]);
  // One name for one thing: the server's own package is no other way to it.
  expect(Object.keys(exports)).toEqual(['./package.json']);
});

test('a browser’s bundler takes it as it is', async () => {
  const { errors, warnings, outputFiles } = await build({
    entryPoints: [join(built(), 'index.js')],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  expect([errors, warnings]).toEqual([[], []]);
  expect(outputFiles[0]?.text).not.toMatch(/\b(require\(|process\.|Buffer\.)/);
});

/** A desktop application in plain JavaScript: its server speaks HTTP, and its timers must not keep it alive. */
const application = (name: string) => `
import { createServer } from 'node:http';
import { createLicenseClient, createMachineId, memoryStorage } from '${name}';

const answers = {
  validate: { valid: true, status: 'ACTIVE', code: 'VALID', message: 'ok', license: null, activation: null },
  heartbeat: { nextHeartbeatAt: new Date(Date.now() + 600_000).toISOString() },
};
const server = createServer((request, response) => {
  const answer = answers[request.url.split('/').at(-1)];
  response.writeHead(answer ? 200 : 400, { 'Content-Type': 'application/json', Connection: 'close' });
  const refused = { success: false, error: { code: 'ACTIVATION_FAILED', message: 'no' } };
  response.end(JSON.stringify(answer ? { success: true, ...answer } : refused));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));

const storage = memoryStorage();
const client = createLicenseClient({
  baseUrl: 'http://127.0.0.1:' + server.address().port,
  product: 'editor',
  licenseKey: 'APP-AAAA-BBBB-CCCC-DDDD',
  machine: { id: await createMachineId(storage) },
  rootKeys: [${JSON.stringify(rootKey)}],
  storage,
});
const { allowed, code } = await client.access();
const { code: refused } = await client.activate();
client.startHeartbeat();
await client.heartbeat();
server.close();
console.log(JSON.stringify({ allowed, code, refused, request: Object.keys(JSON.parse(client.exportRequest())) }));
`;

test.each(['appctl-client', 'appctl-client/node'])(
  '%s runs from plain JavaScript and lets the process end',
  (name) => {
    write('application.js', application(name));
    const run = spawnSync(process.execPath, ['application.js'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([run.stderr, run.status]).toEqual(['', 0]);
    expect(JSON.parse(run.stdout)).toEqual({
      allowed: true,
      code: 'VALID',
      refused: 'ACTIVATION_FAILED',
      request: ['product', 'machineId', 'appVersion'],
    });
  },
);

describe('types', () => {
  const program = `
import { type Access, type BundleSink, ClientError, type ClientOptions, createLicenseClient, createMachineId, LicenseApiError,
  localStorageStorage, memoryStorage, type SeatHandle, type UpdateOffer,
  verifyBundle, verifyOfflineToken, verifyStatement, type Json } from 'appctl-client';

import { fileStorage } from 'appctl-client/node';

let storage: NonNullable<ClientOptions['storage']> = memoryStorage();
storage = localStorageStorage('editor.');
storage = fileStorage('/tmp/license.json');
const options: ClientOptions = {
  baseUrl: 'https://licenses.test', product: 'editor', apiKey: async () => 'alk_x', licenseKey: undefined,
  machine: { id: await createMachineId(storage), name: 'Desk' }, rootKeys: [], storage, fetch: globalThis.fetch,
  offline: { enabled: true, ttlSeconds: 3600, outageGraceSeconds: 60 }, signedResponses: 'require', now: () => 0,
};
const client = createLicenseClient(options);
const access: Access = await client.access({ signal: new AbortController().signal });
const end: () => void = client.on('usage-warning', ({ current, max }) => current + (max ?? 0));
const seat: SeatHandle = await client.holdSeat({ leaseDuration: 600, metadata: { a: [1, null] } });
const why: LicenseApiError | ClientError = await seat.lost;
const feature: Json | undefined = client.feature('seats');
const token: Access = await verifyOfflineToken('t', { rootKeys: [], product: 'p', machineId: 'm', now: 0, lastSeen: 0 });
const good: boolean = await verifyBundle('00', 'AA==', []);
const statement: Json = await verifyStatement('release/x', 'AA==', []);
const result = await client.activate();
const activated: string = result.activated ? result.license.key : result.code + (result.retryAfterSeconds ?? 0);
const offer: UpdateOffer | null = await client.checkForUpdate({ channel: 'beta' });
const sink: BundleSink = { write: async (chunk) => void chunk.byteLength, commit: async () => {}, abort: async () => {} };
if (offer) await client.downloadUpdate(offer, sink, { onProgress: (done, total) => done / total });
client.on('update', ({ version, isCritical }) => isCritical && version.length);
// @ts-expect-error: an event that does not exist
client.on('updates', () => undefined);
// @ts-expect-error: options are checked
createLicenseClient({ ...options, retry: { attempts: '3' } });
export { access, activated, end, why, feature, token, good, statement };
`;

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])(
    'a program in module %s, resolution %s, compiles against the declarations',
    (module, moduleResolution) => {
      write('program.ts', program);
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom'], types: [] },
        ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false },
      };
      write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['program.ts'] }));
      const compiler = join(repository, 'node_modules/typescript/bin/tsc');
      const run = spawnSync(process.execPath, [compiler, '-p', folder], { cwd: folder, encoding: 'utf8' });
      expect([run.stdout, run.status]).toEqual(['', 0]);
    },
  );
});
