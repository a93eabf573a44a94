// Releases from end to end: a key and signatures that are made offline, a server that serves, customers' programs that
// see, verify and install updates, and everything that can be done to a release on the way.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UpdateOffer } from '../../src/client/types.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type InstalledProgram, installProgram } from './installed-program.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';
import { openOffice, type ReleaseOffice } from './release-office.ts';

interface Release {
  id: string;
  version: string;
  state: string;
  keyId: string;
  bundleSha256: string;
}

let it: Installation;
let database: FreshDatabase;
let server: ServerProcess;
let office: ReleaseOffice;
let licenseKey: string;
/** The public halves of the two release keys, as a program embeds them. */
const roots = { old: '', next: '' };
/** By version. */
const released = new Map<string, Release>();

beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  office = openOffice('editor');
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test', '--reveal'];
  licenseKey = (await it.answer<{ key: string }>(mint)).key;
  const env = { APPCTL_DATA_DIR: join(it.cwd, 'data'), APPCTL_DATABASE_URL: database.url };
  server = await startServer([], { cwd: it.cwd, env: { ...env, APPCTL_RATE_LIMIT: 'off' } });
});
afterAll(async () => {
  await server?.stop();
  it.remove();
  office.remove();
  await database.drop();
});

/** Builds and ships a version in one step, as a build machine that holds the key does. */
async function ship(
  version: string,
  { key = 'old', rootKeys = [roots.old], more = [] as string[] } = {},
): Promise<Release> {
  const words = [
    'release',
    'ship',
    office.build(version, rootKeys),
    ...office.signing(version, key),
    ...more,
  ];
  const release = await it.answer<Release>(words, { env: office.env });
  released.set(version, release);
  return release;
}

const idOf = (version: string): string => released.get(version)?.id ?? '';

/** A customer who has a version and trusts the old key only, unless it says otherwise. */
const customer = (name: string, version = '1.0.0', rootKeys = [roots.old]): InstalledProgram =>
  installProgram(
    join(it.cwd, name),
    { url: server.url, licenseKey, product: 'editor' },
    { version, rootKeys },
  );

/** What a program is offered; a test that expects an offer fails without one. */
async function offerTo(program: InstalledProgram): Promise<UpdateOffer> {
  const offer = await program.look();
  if (offer === null) throw new Error(`nothing is offered to ${program.version()}`);
  return offer;
}

const ask = (operation: string, query: Record<string, string>): Promise<Response> =>
  fetch(`${server.url}/api/v1/updates/${operation}?${new URLSearchParams(query)}`, {
    headers: { 'X-License-Key': licenseKey },
  });

describe('a first release', () => {
  test('a key is generated and a bundle signed on a machine with nothing else on it', async () => {
    const words = ['--product', 'editor', '--out', 'old.key', '--passphrase-env', 'RELEASE_PASS'];
    roots.old = (await office.appctl<{ publicKey: string }>('keys', 'generate', ...words)).publicKey;
    const bundle = office.build('1.1.0', [roots.old]);
    await office.appctl('release', 'sign', bundle, ...office.signing('1.1.0', 'old'));
    expect(office.isTouched()).toBe(false);
  });

  test('on the server the public key is registered, and the signed bundle becomes a draft that nobody sees', async () => {
    const carried = join(it.cwd, 'carried');
    mkdirSync(carried);
    for (const name of ['old.pub', 'editor-1.1.0.bin', 'editor-1.1.0.bin.sig.json'])
      cpSync(office.at(name), join(carried, name));
    const imported = await it.answer(['keys', 'import', join(carried, 'old.pub'), '--product', 'editor']);
    expect(imported).toMatchObject({ status: 'ACTIVE', registered: true, publicKey: roots.old });
    const words = [
      '--product',
      'editor',
      '--version',
      '1.1.0',
      '--bundle',
      join(carried, 'editor-1.1.0.bin'),
    ];
    const draft = await it.answer<Release>(['release', 'create', ...words]);
    expect(draft).toMatchObject({ state: 'DRAFT', version: '1.1.0' });
    released.set('1.1.0', draft);
    expect(await customer('early').look()).toBeNull();
  });

  test('once it is published a program sees, downloads, verifies and installs it', async () => {
    const published = await it.answer<Release>(['release', 'publish', idOf('1.1.0')]);
    expect(published.state).toBe('PUBLISHED');
    const program = customer('first');
    const offer = await offerTo(program);
    expect(offer).toMatchObject({ version: '1.1.0', statement: 'verified', releaseId: published.id });
    await program.install(offer);
    expect(program.content()).toEqual(office.bundle('1.1.0'));
    expect(await program.look()).toBeNull();
  });
});

describe('a release that is withdrawn', () => {
  test('is neither offered nor served; the one before it is offered again', async () => {
    await ship('1.2.0');
    const program = customer('hasty');
    const offer = await offerTo(program);
    expect(offer.version).toBe('1.2.0');
    const words = ['release', 'yank', idOf('1.2.0'), '--reason', 'loses settings', '--yes'];
    expect(await it.answer<Release>(words)).toMatchObject({ state: 'YANKED' });
    expect((await ask('manifest', { release_id: idOf('1.2.0') })).status).toBe(404);
    await expect(program.install(offer)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(program.version()).toBe('1.0.0');
    expect(await customer('careful').look()).toMatchObject({ version: '1.1.0' });
  });
});

describe('a staged rollout', () => {
  const machines = Array.from({ length: 200 }, (_, i) => `machine-${String(i).padStart(4, '0')}`);

  async function offeredTo(version: string): Promise<string[]> {
    const found = machines.map(async (machine_id) => {
      const reply = await ask('check', { current_version: '1.1.0', machine_id });
      const answer = (await reply.json()) as { update_available: boolean; version?: string };
      return answer.update_available && answer.version === version ? machine_id : null;
    });
    return (await Promise.all(found)).filter((machine) => machine !== null);
  }

  test('of 10 % reaches the machines of the first tenth, and of 100 % all 200', async () => {
    const { id } = await ship('1.3.0', { more: ['--rollout', '10%'] });
    const firstTenth = machines.filter((machine) => {
      const bucket = createHash('sha256').update(`${id}:${machine}`).digest().readUInt32BE(0);
      return bucket / 2 ** 32 < 0.1;
    });
    expect(firstTenth.length).toBeGreaterThan(0);
    expect(await offeredTo('1.3.0')).toEqual(firstTenth);
    await it.answer(['release', 'rollout', id, '--percent', '100']);
    expect(await offeredTo('1.3.0')).toEqual(machines);
  });
});

describe('a rotation of the release key', () => {
  test('the old key introduces the next one, and signs until that takes over', async () => {
    const files = ['--key', office.at('old.key'), '--out', office.at('next.key')];
    const words = ['keys', 'rotate', '--product', 'editor', ...files, '--passphrase-env', 'RELEASE_PASS'];
    const { old, next } = await it.answer<Record<'old' | 'next', { keyId: string; publicKey: string }>>(
      words,
      { env: office.env },
    );
    roots.next = next.publicKey;
    // The transition release trusts both keys, and is the last one that the old key signs.
    const transition = await ship('2.0.0', { rootKeys: [roots.old, roots.next] });
    expect(transition.keyId).toBe(old.keyId);
    const { stderr } = await it.inside(['keys', 'activate', next.keyId]);
    expect(stderr).toContain(`after ${next.keyId} was registered: 2.0.0 stable`);
    await it.answer(['keys', 'activate', next.keyId, '--yes']);
    expect(await ship('3.0.0', { key: 'next', rootKeys: [roots.next] })).toMatchObject({
      keyId: next.keyId,
    });
  });

  test('the old key ships nothing more', async () => {
    const words = ['release', 'ship', office.build('3.0.1', [roots.old]), ...office.signing('3.0.1', 'old')];
    const done = await it.inside(words, { env: office.env });
    expect([done.code, done.stdout]).toEqual([6, '']);
    expect(done.stderr).toContain('is RETIRED');
  });

  test('a program that knows only the old key gets there by way of the transition release', async () => {
    const program = customer('faithful');
    const versions: string[] = [];
    for (let offer = await program.look(); offer !== null; offer = await program.look()) {
      await program.install(offer);
      versions.push(program.version());
    }
    expect(versions).toEqual(['2.0.0', '3.0.0']);
    expect(program.content()).toEqual(office.bundle('3.0.0'));
  });

  test('a program that knows both goes to the newest at once', async () => {
    const program = customer('modern', '1.3.0', [roots.old, roots.next]);
    expect(await program.look()).toMatchObject({ version: '3.0.0' });
  });
});

describe('a bundle that was changed on the disk', () => {
  const doctor = () => it.inside(['doctor', '--json']);

  test('is not sent: 500, no byte of it, an event, a red doctor', async () => {
    const program = customer('unlucky', '2.0.0', [roots.next]);
    const offer = await offerTo(program);
    const bytes = office.bundle('3.0.0');
    bytes[7] = (bytes[7] as number) ^ 1;
    writeFileSync(join(it.cwd, 'data/bundles', offer.sha256.slice(0, 2), offer.sha256), bytes);
    const reply = await ask('download', { release_id: offer.releaseId });
    expect([reply.status, reply.headers.get('x-bundle-sha256')]).toEqual([500, null]);
    expect(await reply.json()).toMatchObject({ success: false, error: { code: 'SERVER_ERROR' } });
    await expect(program.install(offer)).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    expect(program.version()).toBe('2.0.0');
    const told = await it.inside(['events', 'tail', '--type', 'RELEASE_BUNDLE_DAMAGED', '--json']);
    expect(JSON.parse(told.stdout)).toMatchObject({ subject: offer.releaseId });
    const { code, stdout } = await doctor();
    expect(code).not.toBe(0);
    expect(stdout).toContain(offer.releaseId);
  });

  test('is sent again once the right bytes were put back', async () => {
    await it.answer(['release', 'upload', idOf('3.0.0'), office.at('editor-3.0.0.bin')]);
    const program = customer('lucky', '2.0.0', [roots.next]);
    await program.install(await offerTo(program));
    expect(program.content()).toEqual(office.bundle('3.0.0'));
    expect((await doctor()).stdout).not.toContain(idOf('3.0.0'));
  });
});
