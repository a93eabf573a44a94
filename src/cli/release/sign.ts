import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { bytesToRead, type SignOptions, signBundle } from '#signing/releases/bundle-signature.ts';
import { type SignatureFormat, signatureText } from '#signing/releases/signature-file.ts';
import type { WrittenSignature } from '#signing/releases/signature-form.ts';
import { StatementInput } from '#signing/releases/statement.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits, type Failure, toFailure } from '../frame/exits.ts';
import { signingKeyOfFlag } from './key-source.ts';
import { showingBytes } from './showing-bytes.ts';
import { trySignatureFile } from './signature-output.ts';

/** Options that only a statement carries; without product and version they would be lost in silence. */
const STATEMENT_OPTIONS = [
  'channel',
  'platform',
  'arch',
  'critical',
  'requires-migration',
  'min-from',
  'sequence',
  'statement-days',
];

/** `appctl release sign FILE… --key REF`: works without server and database, unless the key is `store:KEYID`. */
export async function signRelease(cli: Cli): Promise<number> {
  const files = bundleFiles(cli);
  if (cli.flag('publish')) return publishSigned(cli, files);
  const server = ['server', 'profile'].find((name) => cli.given(name));
  if (server !== undefined) throw usageError(`--${server} needs --publish: signing alone uses no server`);
  const options = await signOptions(cli);
  if (files.length === 1) {
    const signed = await signShown(cli, files[0] as string, options);
    await cli.out.value(withDryRun(cli, signed), () => lineOf(signed, options));
    report(cli, signed);
    noteNoStatement(cli, options);
    return exits.done;
  }
  return signSeveral(cli, files, options);
}

/** `--publish` goes on as `release ship`, and answers what it answers (cli 3.4). */
async function publishSigned(cli: Cli, [path = '', ...others]: readonly string[]): Promise<number> {
  if (others.length > 0) throw usageError('--publish is for one file: a release has one bundle');
  const missing = ['product', 'version'].find((name) => !cli.given(name));
  if (missing !== undefined) throw usageError(`--publish needs --${missing}`);
  if (cli.option('format') !== 'appctl') throw usageError('--publish needs --format appctl');
  await (await import('./ship.ts')).shipBundle(cli, path);
  return exits.done;
}

/** Signs what can be signed: one unreadable file must not keep the others of a build from being released. */
async function signSeveral(cli: Cli, files: readonly string[], options: SignOptions): Promise<number> {
  const items: WrittenSignature[] = [];
  const failures: Failure[] = [];
  for (const file of files) {
    try {
      items.push(await signShown(cli, file, options));
    } catch (error) {
      const failure = toFailure(error);
      failures.push(failure);
      if (items.length === 0 && failures.length === files.length) throw error;
      cli.warn(failure.message);
    }
  }
  await cli.out.rows(withDryRun(cli, { items }), items, [{ key: 'signature' }, { key: 'file' }]);
  for (const signed of items) report(cli, signed);
  noteNoStatement(cli, options);
  return failures.length === 0 ? exits.done : exits.partial;
}

/** Signs with a bar on the terminal, for a file that takes a while. */
async function signShown(cli: Cli, file: string, options: SignOptions): Promise<WrittenSignature> {
  trySignatureFile(cli, file, options.format);
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  return showingBytes(
    cli,
    `signing ${basename(file)}`,
    bytesToRead(size, options.format, options.sparkle),
    (onBytes) => signBundle(file, { ...options, onBytes }),
  );
}

/** What a person or a script gets on stdout: the signature, in the form that was asked for. */
const lineOf = (signed: WrittenSignature, { format }: SignOptions): string =>
  format === 'appctl' ? signed.signature : signatureText(signed, format).trimEnd();

const withDryRun = <T extends object>(cli: Cli, answer: T) =>
  cli.dryRun ? { ...answer, dryRun: true as const } : answer;

function report(cli: Cli, signed: WrittenSignature): void {
  cli.note(`${cli.dryRun ? 'would write' : 'wrote'} ${signed.signatureFile} (key ${signed.keyId})`);
}

/** What is published is frozen: who learns of it then has to make another version. */
function noteNoStatement(cli: Cli, { statement, format }: SignOptions): void {
  if (statement !== null || format !== 'appctl') return;
  cli.note('no statement is signed, and the client SDK refuses such a release: add --product and --version');
}

/** The arguments and `--bundle FILE`, which mean the same. */
function bundleFiles(cli: Cli): readonly string[] {
  const files = [...cli.argumentList('file'), ...cli.list('bundle')];
  if (files.length === 0) throw usageError('FILE is missing', 'appctl release sign FILE --key KEYFILE');
  if (files.length > 1 && cli.given('sha256')) throw usageError('--sha256 is the digest of one file');
  return files;
}

async function signOptions(cli: Cli): Promise<SignOptions> {
  const statement = statementInput(cli);
  const format = cli.option('format') as SignatureFormat;
  const lost = statement !== null ? 'a statement' : ['tauri', 'sparkle'].find((name) => cli.flag(name));
  if (format !== 'appctl' && lost !== undefined) {
    throw usageError(
      `--format ${format} cannot contain ${statement === null ? `what --${lost} creates` : lost}`,
    );
  }
  return {
    key: await signingKeyOfFlag(cli),
    now: isoTime(systemClock.epochMs()),
    format,
    tauri: cli.flag('tauri'),
    sparkle: cli.flag('sparkle'),
    comment: cli.option('comment') ?? null,
    expectedSha256: cli.option('sha256') ?? null,
    statement,
    outDir: cli.option('out-dir') ?? null,
    force: cli.flag('force'),
    dryRun: cli.dryRun,
  };
}

/** The statement is written when product and version are known (cli 3.4). */
function statementInput(cli: Cli): StatementInput | null {
  const [product, version] = [cli.option('product'), cli.option('version')];
  if (product === undefined || version === undefined) {
    const lost = ['product', 'version', ...STATEMENT_OPTIONS].find((name) => cli.given(name));
    if (lost !== undefined) throw usageError(`--${lost} needs --product and --version`);
    return null;
  }
  const parsed = StatementInput.safeParse({
    product,
    version,
    channel: cli.option('channel'),
    platform: cli.option('platform'),
    arch: cli.option('arch'),
    isCritical: cli.flag('critical'),
    requiresMigration: cli.flag('requires-migration'),
    minFromVersion: cli.option('min-from'),
    sequence: cli.integer('sequence'),
    statementDays: cli.integer('statement-days'),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0]);
  const name = { statementDays: 'statement-days', minFromVersion: 'min-from' }[field] ?? field;
  throw usageError(`--${name}: ${issue?.message}`);
}
