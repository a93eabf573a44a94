// EXAMPLES: what the manual shows to developers in other languages answers as the client does, and is fooled by nobody.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyOfflineToken } from '../../src/client/token.ts';
import { type ExampleCase, exampleCases } from './parts/example-cases.ts';
import { MACHINE, PRODUCT, VERSION } from './parts/example-keys.ts';
import { ask, type Example, prepareExample, prepareExamples } from './parts/example-languages.ts';
import { createApiKey, createProduct, installationAt, mintLicense } from './parts/installation.ts';
import { command, jsonCommand, type Launch, startServer } from './parts/processes.ts';
import { Complaints, MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

type Settings = Readonly<Record<string, string>>;

/** Asks every example about every case, and the client about every token. */
async function judgeCases(
  examples: readonly Example[],
  folder: string,
  complaints: Complaints,
): Promise<number> {
  const { cases, rootKey } = exampleCases();
  for (const [i, one] of cases.entries()) {
    const file = writeCase(one, join(folder, `case-${i}`));
    const settings = { PRODUCT, MACHINE, VERSION, ROOT_KEY: rootKey, NOW: String(one.now) };
    const word = one.token === undefined ? 'verify-release' : 'verify-token';
    for (const example of examples) {
      const { said, status } = ask(example, [word, file], settings);
      const isGood = ['VALID', 'GRACE'].includes(one.answer);
      complaints.unless(
        said === one.answer && (status === 0) === isGood,
        () => `${example.language}: ${one.name}: ${said} (exit ${status}), not ${one.answer}`,
      );
    }
    if (one.token === undefined) continue;
    const [now, lastSeen] = [one.now * 1000, 0];
    const question = { machineId: MACHINE, appVersion: VERSION, now, lastSeen };
    const { code } = await verifyOfflineToken(one.token, {
      rootKeys: [rootKey],
      product: PRODUCT,
      ...question,
    });
    complaints.unless(code === one.answer, () => `client: ${one.name}: ${code}, not ${one.answer}`);
  }
  return cases.length;
}

function writeCase({ token, bundle, record }: ExampleCase, path: string): string {
  writeFileSync(path, token ?? bundle ?? '');
  if (record) writeFileSync(`${path}.sig.json`, JSON.stringify(record));
  return path;
}

/** A product whose root key is a file, and whose online key it has delegated to. */
async function signingProduct(launch: Launch, folder: string): Promise<{ rootKey: string; keyFile: string }> {
  const keyFile = join(folder, 'editor.key');
  const made = ['keys', 'generate', '--product', PRODUCT, '--no-passphrase', '--out', keyFile];
  const { publicKey } = await jsonCommand<{ publicKey: string }>(launch, made);
  const online = ['keys', 'online', 'create', '--product', PRODUCT];
  const { keyId, publicKey: pub } = await jsonCommand<{ keyId: string; publicKey: string }>(launch, online);
  const use = ['--pub', pub, '--use', 'license,timestamp,response', '--days', '365'];
  const { stdout } = await command(launch, [
    'keys',
    'delegate',
    '--product',
    PRODUCT,
    '--key',
    keyFile,
    ...use,
  ]);
  const delegation = join(folder, 'delegation');
  writeFileSync(delegation, stdout);
  await jsonCommand(launch, ['keys', 'online', 'delegate', keyId, '--delegation-file', delegation]);
  return { rootKey: publicKey, keyFile };
}

/** Each example activates, validates and proves a license of a real server, then verifies a release of it. */
async function walk(
  bench: ProofBench,
  examples: readonly Example[],
  complaints: Complaints,
): Promise<number> {
  const installation = installationAt(bench, 'served', { APPCTL_RATE_LIMIT: 'off' });
  const { launch } = installation;
  const server = await startServer(launch);
  let asked = 0;
  try {
    await createProduct(installation, PRODUCT);
    const { rootKey, keyFile } = await signingProduct(launch, bench.folder);
    const bundle = join(bench.folder, 'editor-2.2.0.zip');
    writeFileSync(bundle, 'the bundle of a release');
    const release = ['--product', PRODUCT, '--version', '2.2.0'];
    await command(launch, ['release', 'sign', bundle, '--key', keyFile, ...release]);
    const apiKey = await createApiKey(installation, 'examples');
    for (const example of examples) {
      const { key } = await mintLicense(installation, PRODUCT, 1);
      const own = {
        URL: server.url,
        API_KEY: apiKey,
        PRODUCT,
        KEY: key,
        MACHINE,
        VERSION,
        ROOT_KEY: rootKey,
      };
      asked += steps(example, own, bundle, bench.folder, complaints);
    }
  } finally {
    await server.stop();
  }
  return asked;
}

function steps(
  example: Example,
  own: Settings,
  bundle: string,
  folder: string,
  complaints: Complaints,
): number {
  const token = join(folder, `${example.language}.token`);
  const expected: [words: string[], changed: Settings, answer: RegExp][] = [
    [['validate'], {}, /^NOT_ACTIVATED$/],
    [['activate'], {}, /^ACTIVATED$/],
    [['activate'], {}, /^ACTIVATED$/],
    [['activate'], { MACHINE: 'machine-0002' }, /^ACTIVATION_FAILED$/],
    [['validate'], {}, /^VALID$/],
    [['validate'], { KEY: 'APP-0000-0000-0000-0000' }, /^(INVALID_KEY|NOT_FOUND)$/],
    [['validate'], { API_KEY: 'alk_wrong' }, /^INVALID_API_KEY$/],
    [['token'], {}, /^license\/\S+$/],
    [['verify-token', token], {}, /^VALID$/],
    [['verify-token', token], { MACHINE: 'machine-0002' }, /^WRONG_MACHINE$/],
    [['verify-release', bundle], {}, /^VALID$/],
    [['verify-release', bundle], { PRODUCT: 'viewer' }, /^STATEMENT_INVALID$/],
  ];
  for (const [words, changed, answer] of expected) {
    const { said } = ask(example, words, { ...own, ...changed });
    if (words[0] === 'token') writeFileSync(token, said);
    complaints.unless(
      answer.test(said),
      () => `${example.language}: ${words[0]}: ${said}, not ${answer.source}`,
    );
  }
  return expected.length;
}

async function run(bench: ProofBench): Promise<Outcome> {
  const folder = folderIn(bench);
  const { ready, missing } = prepareExamples(folder);
  const complaints = new Complaints();
  const cases = await judgeCases(ready, folder, complaints);
  const steps = await walk(bench, ready, complaints);
  const figures = {
    ran: ready.map(({ language }) => language).join(','),
    not_run: missing.map(({ language, reason }) => `${language} (${reason})`).join(', ') || 'none',
    cases,
    steps,
    wrong: complaints.count,
  };
  return { figures, passed: complaints.count === 0, notes: complaints.notes };
}

function folderIn({ folder }: ProofBench): string {
  const own = join(folder, 'examples');
  mkdirSync(own, { recursive: true });
  return own;
}

/** An example that leaves out one check, by what stands in place of it. */
const without =
  (text: string, instead: string) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const folder = folderIn(bench);
    const python = prepareExample(folder, 'python', (copy) =>
      replaceIn(join(copy, 'appctl_license.py'), text, instead),
    );
    const complaints = new Complaints();
    const cases = await judgeCases([python], folder, complaints);
    const figures = { cases, wrong: complaints.count };
    return { figures, passed: complaints.count === 0, notes: complaints.notes };
  };

function replaceIn(path: string, text: string, instead: string): void {
  const source = readFileSync(path, 'utf8');
  if (!source.includes(text)) throw new Error(`the example no longer says ${text}`);
  writeFileSync(path, source.replace(text, instead));
}

export const examples: Proof = {
  id: 'EXAMPLES',
  databases: ['sqlite'],
  requireTools() {
    if (spawnSync('python3', ['-c', 'import cryptography']).status !== 0)
      throw new MissingTool(
        'the planted faults of EXAMPLES need python3 with cryptography: pip install cryptography',
      );
  },
  faults: {
    'any-machine': without('if b64(claims["mid"]) != ', 'if False and b64(claims["mid"]) != '),
    'any-root': without(
      'root is not None\n            and delegation["v"] == 1\n            and is_signed(root,',
      'root is not None\n            and delegation["v"] == 1\n            or is_signed(root,',
    ),
    'any-statement': without('not genuine or statement["v"] != 1', 'statement["v"] != 1'),
  },
  run,
};
