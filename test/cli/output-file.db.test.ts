// Files that commands write secrets, keys and exports to: opened before anything is made, or the work is undone.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withOutputFile } from '../../src/cli/frame/output-file.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { changesBy, nothing } from '../support/database-changes.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let database: FreshDatabase;
/** Ids that commands below name. */
const made: Record<string, string> = {};
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  const id = async (line: string) => (await it.answer<{ id: string }>(line.split(' '))).id;
  await id('product create --name Editor --slug editor');
  made.key = await id('apikey create --service license --name first --scope READ_ONLY');
  made.hook = await id('webhook create --service license --url https://93.184.216.34/hook');
  made.shop = await id('integration create --processor generic --name shop');
  made.license = await id('license mint --product editor --email ann@x.test');
  writeFileSync(
    join(it.cwd, 'rows.csv'),
    'product,email,perpetual\neditor,bob@x.test,true\neditor,cat@x.test,true\n',
  );
  writeFileSync(join(it.cwd, 'app.zip'), 'bundle');
  await it.answer('keys generate --product editor --out editor.key --no-passphrase'.split(' '));
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

const named = (line: string) => line.replace(/\{(\w+)\}/g, (_, name: string) => made[name] ?? '').split(' ');

/** Runs a line and tells what it changed, in the database and among the files of its folder. */
async function attempt(line: string) {
  const before = readdirSync(it.cwd);
  const instance = await it.open();
  const { result, changes } = await changesBy(instance.database, () => it.inside(named(line)));
  await instance.close();
  return { ...result, changes, files: readdirSync(it.cwd).filter((name) => !before.includes(name)) };
}

/** Every command that writes what it makes to a file, with the option that names it. */
const writers = [
  'license mint --product editor --email a@x.test --perpetual --out',
  'license mint --product editor --email a@x.test --perpetual --count 3 --out',
  'license mint-bulk rows.csv --out',
  'license rekey {license} --reason lost --yes --out',
  'license export --out',
  'license export --reveal --out',
  'export all --include-keys --yes --out',
  'export customers --format csv --out',
  'apikey create --service license --name x --scope READ_ONLY --out',
  'apikey rotate {key} --out',
  'admin token create --name x --role viewer --out',
  'honeypot create --product editor --label x --out',
  'webhook create --service license --url https://93.184.216.34/other --out',
  'webhook rotate-secret {hook} --out',
  'integration create --processor generic --name y --out',
  'integration update {shop} --generate-secret --out',
];
/** These write two files or one of their own form. */
const keyWriters = [
  'keys generate --product editor --next --no-passphrase --out',
  'keys import editor.key --product editor --no-passphrase --out',
  'keys rotate --product editor --key editor.key --no-passphrase --out',
  'config init --out',
  'release sign app.zip --key editor.key --out-dir',
  'release ship app.zip --product editor --version 1.0.0 --key editor.key --out-dir',
];

describe('nothing is made when the file cannot be', () => {
  test.each([...writers, ...keyWriters])('%s /missing/k is 2 and names the folder', async (line) => {
    const { code, stdout, stderr, changes, files } = await attempt(`${line} ${it.cwd}/missing/k`);
    expect({ code, stdout, changes, files }).toEqual({ code: 2, stdout: '', changes: nothing, files: [] });
    expect(stderr).toMatch(
      /^error: the folder of \S+\/missing\/k\S* does not exist\nhint: mkdir -p \S+\/missing(\/k)?\n$/,
    );
  });

  test.each(writers)('%s DIRECTORY is 2', async (line) => {
    mkdirSync(join(it.cwd, 'folder'), { recursive: true });
    const { code, stderr, changes } = await attempt(`${line} folder`);
    expect({ code, changes }).toEqual({ code: 2, changes: nothing });
    expect(stderr).toMatch(/^error: \S+folder is a directory\nhint: choose a file inside it\n$/);
  });

  test.each(writers)('%s EXISTING is 5 without --force, and the file stays', async (line) => {
    writeFileSync(join(it.cwd, 'taken'), 'old');
    const { code, changes } = await attempt(`${line} taken`);
    expect({ code, changes }).toEqual({ code: 5, changes: nothing });
    expect(readFileSync(join(it.cwd, 'taken'), 'utf8')).toBe('old');
  });
});

describe('a disk that is full undoes the work', () => {
  test.each(writers.filter((line) => !line.includes('export') && !line.includes('bulk')))(
    '%s /dev/full is 1 and leaves nothing behind',
    async (line) => {
      const { code, stdout, stderr, changes } = await attempt(`${line} /dev/full`);
      expect({ code, stdout, changes }).toEqual({ code: 1, stdout: '', changes: nothing });
      expect(stderr).toMatch(
        /^error: cannot write \/dev\/full: no space is left on the disk\nhint: free up space/,
      );
    },
  );

  test('a batch stops at the first key that cannot be kept', async () => {
    const { code, changes } = await attempt('license mint-bulk rows.csv --out /dev/full');
    expect({ code, changes }).toEqual({ code: 1, changes: nothing });
  });
});

test('a dry run says what the file would come to, and writes none', async () => {
  const { code, files } = await attempt(`${writers[0]} later.txt --dry-run`);
  expect({ code, files }).toEqual({ code: 0, files: [] });
  expect((await attempt(`${writers[0]} missing/later.txt --dry-run`)).code).toBe(2);
});

test('a pipe is written as it is, and a link that leads nowhere takes its name', async () => {
  expect((await attempt(`${writers[8]} /dev/null`)).code).toBe(0);
  symlinkSync('nowhere', join(it.cwd, 'dangling'));
  expect((await attempt(`${writers[8]} dangling`)).code).toBe(5);
});

test('the file is private and whole, and replaced with --force only when the work is done', async () => {
  const file = join(it.cwd, 'api.key');
  expect((await attempt(`${writers[8]} api.key`)).files).toEqual(['api.key']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const first = readFileSync(file, 'utf8');
  const refused = await attempt('apikey rotate key_unknown --out api.key --force');
  expect({ code: refused.code, files: refused.files }).toEqual({ code: 3, files: [] });
  expect(readFileSync(file, 'utf8')).toBe(first);
  expect((await attempt(`apikey rotate ${made.key} --out api.key --force`)).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(/^alk_\S+\n$/);
  expect(readFileSync(file, 'utf8')).not.toBe(first);
});

test('setup with a key file or configuration that cannot be written makes no installation', async () => {
  const setup = 'setup --no-input --owner-email ann@x.test --generate-password --product editor';
  const env = { APPCTL_DATA_DIR: join(it.cwd, 'fresh'), APPCTL_DATABASE_URL: '' };
  for (const flag of ['--signing-key', '--write-config']) {
    const run = await it.inside(named(`${setup} ${flag} missing/k`), { env });
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(env.APPCTL_DATA_DIR)).toBe(false);
  }
});

describe('the texts of a file', () => {
  const inFolder = (name: string) => ({ path: join(it.cwd, name), force: false });

  test('an attempt that fails takes back what it kept, one that is repeated keeps the last', async () => {
    const asked = inFolder('attempts');
    await withOutputFile(asked, async (file) => {
      await file.attempt(async (keep) => keep('one\n'));
      const refused = file.attempt(async (keep) => {
        keep('lost\n');
        throw new Error('refused');
      });
      await expect(refused).rejects.toThrow('refused');
      await file.attempt(async (keep) => {
        keep('first try, longer\n');
        keep('two\n');
      });
    });
    expect(readFileSync(asked.path, 'utf8')).toBe('one\ntwo\n');
  });

  test('what an attempt kept stays when the work fails later; what was only written does not', async () => {
    const kept = inFolder('kept');
    const work = withOutputFile(kept, async (file) => {
      await file.attempt(async (keep) => keep('one\n'));
      throw new Error('interrupted');
    });
    await expect(work).rejects.toThrow('interrupted');
    expect(readFileSync(kept.path, 'utf8')).toBe('one\n');
    const written = inFolder('written');
    const stream = withOutputFile(written, async (file) => {
      file.write('half');
      throw new Error('interrupted');
    });
    await expect(stream).rejects.toThrow('interrupted');
    expect(existsSync(written.path)).toBe(false);
    expect(readdirSync(it.cwd).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a name that was taken meanwhile costs nothing: the error says where the text is', async () => {
    const asked = inFolder('meanwhile');
    const work = withOutputFile(asked, async (file) => {
      writeFileSync(asked.path, 'other');
      await file.attempt(async (keep) => keep('secret\n'));
    });
    const error = await work.catch((error: { message: string }) => error.message);
    const [, temporary = ''] = /the output is in (\S+)$/.exec(String(error)) ?? [];
    expect(readFileSync(temporary, 'utf8')).toBe('secret\n');
    expect(readFileSync(asked.path, 'utf8')).toBe('other');
  });
});
