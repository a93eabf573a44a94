// What the executable says that it contains: nobody's work is left out, and everybody's license is there.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeAll, expect, test } from 'vitest';
import { type CommandRun, command, jsonCommand, type Launch } from '../proof/parts/processes.ts';
import { builtExecutable } from '../support/built-executable.ts';

interface Bill {
  components: { name: string; group?: string; version: string; licenses: unknown[]; components?: object[] }[];
  metadata: { component: { version: string } };
}
interface Licenses {
  licenses: { name: string; version: string; license: string; text: string; parts: { name: string }[] }[];
}

const root = join(import.meta.dirname, '../..');
const built = builtExecutable();
const launch: Launch = { exe: built, cwd: '/', env: { PATH: '/usr/bin' } };
let bill: Bill;
let text: string;

const run = (args: readonly string[]): Promise<CommandRun> => command(launch, args);

beforeAll(async () => {
  text = (await run(['version', '--sbom'])).stdout;
  bill = JSON.parse(text) as Bill;
});

test('the bill of materials is what CycloneDX 1.6 defines, and the same beside the executable', async () => {
  const problems = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  expect(problems).toBeNull();
  expect(JSON.parse(readFileSync(`${built}.cdx.json`, 'utf8'))).toEqual(bill);
  const broken = text.replace('"specVersion": "1.6"', '"specVersion": "1.6", "surprise": 1');
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(broken)).not.toBeNull();
});

test('every package that the executable names is listed with a license', () => {
  // Each module is a function that is named like its file (bin/own-scopes.ts).
  const asWord = (name: string): string => name.replaceAll('/', '$').replaceAll(/[^\w$]/g, '_');
  const listed = new Set(bill.components.map(({ group, name }) => asWord(group ? `${group}/${name}` : name)));
  const bytes = readFileSync(built, 'latin1');
  const inside = new Set(
    [...bytes.matchAll(/function _node_modules\$((?:_\w+\$)?\w+)\$/g)].map(([, name = '']) => name),
  );
  expect(inside.size).toBeGreaterThan(60);
  expect([...inside].filter((name) => !listed.has(name))).toEqual([]);
  expect(bill.components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
});

test('packages that are unpacked on demand are listed, and their versions are those of the lock', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  for (const name of [
    'stripe',
    'square',
    'pdfkit',
    'nodemailer',
    'yaml',
    'qrcode',
    'sharp',
    'better-sqlite3',
  ]) {
    const found = bill.components.find((component) => component.name === name && !component.group);
    expect([name, found?.version]).toEqual([name, packages[`node_modules/${name}`]?.version]);
  }
});

test('the licenses are printed with their words, in lines of 80 columns', async () => {
  const { licenses } = await jsonCommand<Licenses>(launch, ['version', '--licenses']);
  expect(licenses.map(({ name }) => name)).toEqual(
    bill.components.map(({ group, name }) => (group ? `${group}/${name}` : name)),
  );
  expect(
    licenses.filter((work) => work.license === '' || work.text.length < 200).map(({ name }) => name),
  ).toEqual([]);
  const node = licenses.find(({ name }) => name === 'Node.js');
  expect(node?.parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['v8', 'openssl', 'uv', 'icu']));
  expect(node?.text).toContain('OpenSSL, located at deps/openssl, is licensed as follows');
  const vips = licenses.find(({ name }) => name.startsWith('@img/sharp-libvips'));
  expect(vips?.text).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
  const { stdout, code } = await run(['version', '--licenses']);
  expect(code).toBe(0);
  const long = stdout.split('\n').filter((line) => line.length > 80);
  // A word that is longer stays whole.
  expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
  expect(await run(['version', '--licenses', '--sbom'])).toMatchObject({ code: 2, stdout: '' });
});

test('an executable for a machine that is not known is refused before anything is built', () => {
  const build = () =>
    execFileSync(process.execPath, [join(root, 'bin/build.ts'), '--target', 'linux-riscv'], {
      stdio: 'pipe',
    });
  expect(build).toThrow('"linux-riscv" is not a target; targets are linux-x64 and linux-arm64');
});
