// Archives that are damaged, foreign or made to do harm: none is taken, whatever it says of itself.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { afterAll, expect, test } from 'vitest';
import {
  type ArchivePart,
  type Header,
  MEMBERS,
  newIdentity,
  readArchive,
  seal,
  textPart,
  unseal,
  unsealText,
  writeArchive,
} from '#platform/backup/index.ts';
import { superfluous } from '#platform/backup/keep.ts';
import { always } from '../support/property.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const folder = scratchFolder('appctl-archive-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const origin = {
  version: '0.1.0',
  schemaVersion: '0001-first',
  createdAt: '2026-01-05T03:15:00.000Z',
  installation: 'ins_1',
  masterKeyId: 'abcdef01',
  database: 'sqlite' as const,
};
const header = (more: Partial<Header> = {}): Header => ({
  ...origin,
  kind: 'appctl-backup',
  v: 1,
  members: 10,
  bytes: 1_000_000,
  ...more,
});
const DIGEST = 'ab'.repeat(32);
const LOCATION = `ab/${DIGEST}`;

async function written(name = 'good'): Promise<Buffer> {
  const path = join(folder, `${name}.tar.zst`);
  rmSync(path, { force: true });
  const parts = async function* (): AsyncGenerator<ArchivePart> {
    yield textPart(MEMBERS.header, JSON.stringify(header()));
    yield textPart(MEMBERS.database, Buffer.alloc(20_000, 'rows '));
    yield textPart(`bundles/${LOCATION}`, 'a bundle');
  };
  const last = (files: object): string =>
    JSON.stringify({
      ...origin,
      v: 1,
      label: null,
      excluded: [],
      tables: {},
      files,
      secretsLeftOut: [],
      auditHead: null,
    });
  await writeArchive(path, parts(), last, () => undefined);
  return readFileSync(path);
}

const read = (bytes: Uint8Array) => readArchive(Readable.from([bytes]), {});
const refusal = (bytes: Uint8Array) =>
  read(bytes).then(
    () => ({ code: 'TAKEN', message: '' }),
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );

interface Entry {
  readonly name: string;
  readonly text?: string;
  readonly type?: 'file' | 'symlink' | 'link' | 'character-device' | 'fifo' | 'directory';
  readonly linkname?: string;
}

/** As the program writes archives, with members of another's choice. */
async function made(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, text = '', type = 'file', linkname } of entries)
    tar.entry({ name, type, ...(linkname !== undefined && { linkname }) }, text);
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(Buffer.from(part as Uint8Array));
  return closed(Buffer.concat(parts));
}

function closed(tar: Buffer): Buffer {
  const body = zstdCompressSync(tar);
  const head = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
  return Buffer.concat([body, head, createHash('sha256').update(body).digest()]);
}

test('what was written is read', async () => {
  const { manifest } = await read(await written());
  expect(Object.keys(manifest.files)).toEqual([MEMBERS.header, MEMBERS.database, `bundles/${LOCATION}`]);
});

test('a byte that is another one is found wherever it is, and so is an end that is missing', async () => {
  const good = await written();
  for (let at = 0; at < good.length; at += 1) {
    const bad = Buffer.from(good);
    bad[at] = (bad[at] ?? 0) ^ (1 << (at % 8));
    expect((await refusal(bad)).code, `byte ${at}`).toBe('VERIFICATION_FAILED');
  }
  for (const length of [0, 1, 20, 100, good.length - 41, good.length - 40, good.length - 1])
    expect((await refusal(good.subarray(0, length))).code, `${length} bytes`).toBe('VERIFICATION_FAILED');
  expect((await refusal(Buffer.concat([good, good]))).code).toBe('VERIFICATION_FAILED');
}, 60_000);

const first: Entry = { name: MEMBERS.header, text: JSON.stringify(header()) };
test.each<readonly [string, readonly Entry[], RegExp]>([
  ['a path upward', [first, { name: '../../etc/cron.d/x', text: 'x' }], /does not belong into a backup/],
  ['an absolute path', [first, { name: '/etc/passwd', text: 'x' }], /does not belong into a backup/],
  [
    'a path upward in a storage',
    [first, { name: `bundles/../${DIGEST}`, text: 'x' }],
    /does not belong into a backup/,
  ],
  [
    'a link',
    [first, { name: MEMBERS.database, type: 'symlink', linkname: '/etc/passwd' }],
    /a symbolic link/,
  ],
  ['a hard link', [first, { name: MEMBERS.database, type: 'link', linkname: '/etc/passwd' }], /a link/],
  ['a device', [first, { name: MEMBERS.database, type: 'character-device' }], /a device/],
  ['a named pipe', [first, { name: MEMBERS.database, type: 'fifo' }], /a named pipe/],
  ['a folder', [first, { name: 'bundles', type: 'directory' }], /a folder/],
  [
    'a member twice',
    [first, { name: MEMBERS.database, text: 'x' }, { name: MEMBERS.database, text: 'y' }],
    /twice/,
  ],
  ['no manifest', [first, { name: MEMBERS.database, text: 'x' }], /no manifest/],
  ['another first member', [{ name: 'README', text: 'x' }], /not a backup/],
  ['another file of JSON', [{ name: MEMBERS.header, text: '{"kind":"else"}' }], /not a backup/],
])('%s is refused', async (_, entries, words) => {
  const { code, message } = await refusal(await made(entries));
  expect([code, message]).toEqual(['VERIFICATION_FAILED', expect.stringMatching(words)]);
});

test('a manifest of another origin than the beginning is refused', async () => {
  const said = {
    ...origin,
    v: 1,
    label: null,
    excluded: [],
    tables: {},
    files: {
      [MEMBERS.header]: {
        size: Buffer.byteLength(first.text ?? ''),
        sha256: createHash('sha256')
          .update(first.text ?? '')
          .digest('hex'),
      },
    },
    secretsLeftOut: [],
    auditHead: null,
  };
  const of = (more: object) =>
    made([first, { name: MEMBERS.manifest, text: JSON.stringify({ ...said, ...more }) }]);
  expect((await refusal(await of({}))).code).toBe('TAKEN');
  for (const more of [
    { installation: 'ins_2' },
    { installation: '../../../x' },
    { installation: null },
    { masterKeyId: 'abcdef02' },
    { createdAt: '2031-01-01T00:00:00.000Z' },
    { schemaVersion: '0002-second' },
    { database: 'postgres' },
    { version: '0.2.0' },
    { v: 2 },
  ]) {
    const { code, message } = await refusal(await of(more));
    const [key] = Object.keys(more);
    expect([code, message]).toEqual(['VERIFICATION_FAILED', expect.stringContaining(`another ${key} than`)]);
  }
});

test('more than the beginning says is refused before it is read', async () => {
  const small = { name: MEMBERS.header, text: JSON.stringify(header({ bytes: 10 })) };
  const found = await refusal(await made([small, { name: MEMBERS.database, text: 'x'.repeat(11) }]));
  expect(found.message).toContain('more than its beginning says');
});

test('a file that unpacks to a disk full of nothing is refused', async () => {
  const big = { name: MEMBERS.header, text: JSON.stringify(header({ bytes: 10 ** 12 })) };
  const bytes = await made([big, { name: MEMBERS.database, text: '\0'.repeat(200 * 1024 ** 2) }]);
  expect((await refusal(bytes)).message).toContain('unpacks to far more');
}, 60_000);

test('a backup of a newer format is refused with the version that reads it', async () => {
  const newer = { name: MEMBERS.header, text: JSON.stringify(header({ v: 2, version: '9.1.0' })) };
  expect(await refusal(await made([newer]))).toEqual({
    code: 'CONFLICT',
    message: expect.stringContaining('newer appctl (9.1.0)'),
  });
});

test.each(['', 'hello', '\x1f\x8b\x08 gzip', 'PK\x03\x04'])('%j is not a backup', async (text) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'x'), text);
  expect((await refusal(readFileSync(join(folder, 'x')))).code).toBe('VERIFICATION_FAILED');
});

test('an encrypted file opens in whatever pieces it comes, and one whose header does not end is refused', async () => {
  const { identity, recipient } = await newIdentity();
  const opening = { identities: [identity], passphrase: null, tried: 'a key' };
  // Many more than anybody has.
  const sealing = { recipients: [...Array(200).fill(recipient), recipient] };
  const sealed = await buffer(await seal(Readable.from([await written('sealed')]), sealing));
  for (const size of [7, 1000, 70_000]) {
    const pieces = Array.from({ length: Math.ceil(sealed.length / size) }, (_, i) =>
      sealed.subarray(i * size, (i + 1) * size),
    );
    const opened = await buffer(await unseal(Readable.from(pieces), opening));
    expect(opened.equals(await written('sealed'))).toBe(true);
  }
  let taken = 0;
  const endless = (beginning: string, line: string) =>
    async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from(beginning);
      for (; taken < 10_000; taken += 1) yield Buffer.from(line);
    };
  const recipients = `-> X25519 ${'A'.repeat(43)}\n${'A'.repeat(43)}\n`;
  for (const [beginning, line] of [
    ['age-encryption.org/v1\n', recipients.repeat(20)],
    ['age-encryption.org/v1\n', 'A'.repeat(2000)],
    [`age-encryption.org/v1\n${recipients}--- `, 'A'.repeat(2000)],
  ] as const) {
    taken = 0;
    await expect(unseal(Readable.from(endless(beginning, line)()), opening)).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
      message: expect.stringContaining('its header has no end'),
    });
    expect(taken).toBeLessThan(200);
    const text = Buffer.from(beginning + line.repeat(100));
    await expect(unsealText(text, opening)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' });
  }
  for (const cut of [0, 30, 1000])
    await expect(unseal(Readable.from([sealed.subarray(0, cut)]), opening)).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
    });
});

test('the newest of each day, week and month are kept, and never the last verified one is deleted', () => {
  const at = (day: string, hour = '03') => ({
    file: `${day}-${hour}`,
    createdAt: `${day}T${hour}:00:00.000Z`,
    label: null,
    verified: true,
  });
  const all = [
    at('2026-03-10'),
    at('2026-03-10', '15'),
    at('2026-03-09'),
    at('2026-03-08'),
    at('2026-02-27'),
    at('2026-01-31'),
    at('2025-12-31'),
    { ...at('2025-01-01'), label: 'before-import' },
  ];
  expect(superfluous(all, { daily: 2, weekly: 2, monthly: 3 }, 'UTC')).toEqual([
    '2025-12-31-03',
    '2026-03-10-03',
  ]);
  expect(superfluous(all.slice(0, 1), { daily: 0, weekly: 0, monthly: 0 }, 'UTC')).toEqual([]);
  expect(
    superfluous([{ ...at('2026-03-10'), verified: false }], { daily: 0, weekly: 0, monthly: 0 }, 'UTC'),
  ).toEqual([]);
});

test('whatever there is and whatever the rule, what remains has the newest verified one and no label of somebody is gone', () => {
  const backup = fc.record({
    createdAt: fc
      .date({ min: new Date('2024-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
      .map((at) => at.toISOString()),
    label: fc.constantFrom(null, 'pre-migrate', 'before-import'),
    verified: fc.boolean(),
  });
  const rule = fc.record({ daily: fc.nat(3), weekly: fc.nat(3), monthly: fc.nat(3) });
  always(
    fc.property(fc.array(backup, { maxLength: 30 }), rule, (found, kept) => {
      const all = found.map((one, i) => ({ ...one, file: `backup-${i}` }));
      const gone = new Set(superfluous(all, kept, 'Europe/Berlin'));
      const verified = all.filter((one) => one.verified);
      const newest = verified
        .map((one) => one.createdAt)
        .sort()
        .at(-1);
      const rest = verified.filter(({ file }) => !gone.has(file));
      const isNewestKept = newest === undefined || rest.some((one) => one.createdAt === newest);
      const labeled = verified.filter(({ label }) => label === 'before-import');
      return isNewestKept && labeled.every(({ file }) => !gone.has(file));
    }),
  );
});
