import { isoTime, systemClock } from '#kernel/clock.ts';
import {
  type SignatureFormat,
  type SignOptions,
  StatementInput,
  signBundle,
  type WrittenSignature,
} from '#licensing/release-signing/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits, type Failure, toFailure } from '../frame/exits.ts';
import { signingKeyOfFlag } from './key-source.ts';

/** Options that only a statement carries; without product and version they would be lost in silence. */
const STATEMENT_OPTIONS = ['channel', 'platform', 'arch', 'sequence', 'statement-days'];

/** `appctl release sign FILE… --key REF`: works without server and database, unless the key is `store:KEYID`. */
export async function signRelease(cli: Cli): Promise<number> {
  const files = bundleFiles(cli);
  const options = await signOptions(cli);
  if (files.length === 1) {
    const signed = await signBundle(files[0] as string, options);
    await cli.out.value(withDryRun(cli, signed), () => signed.signature);
    report(cli, signed);
    return exits.done;
  }
  return signSeveral(cli, files, options);
}

/** Signs what can be signed: one unreadable file must not keep the others of a build from being released. */
async function signSeveral(cli: Cli, files: readonly string[], options: SignOptions): Promise<number> {
  const items: WrittenSignature[] = [];
  const failures: Failure[] = [];
  for (const file of files) {
    try {
      items.push(await signBundle(file, options));
    } catch (error) {
      const failure = toFailure(error);
      failures.push(failure);
      if (items.length === 0 && failures.length === files.length) throw error;
      cli.warn(failure.message);
    }
  }
  await cli.out.rows(withDryRun(cli, { items }), items, [{ key: 'signature' }, { key: 'file' }]);
  for (const signed of items) report(cli, signed);
  return failures.length === 0 ? exits.done : exits.partial;
}

const withDryRun = <T extends object>(cli: Cli, answer: T) =>
  cli.dryRun ? { ...answer, dryRun: true as const } : answer;

function report(cli: Cli, signed: WrittenSignature): void {
  cli.note(`${cli.dryRun ? 'would write' : 'wrote'} ${signed.signatureFile} (key ${signed.keyId})`);
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
  const { format } = { format: cli.option('format') as SignatureFormat };
  if (format === 'base64' && statement !== null) throw usageError('--format base64 cannot hold a statement');
  return {
    key: await signingKeyOfFlag(cli),
    now: isoTime(systemClock.epochMs()),
    format,
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
    sequence: cli.integer('sequence'),
    statementDays: cli.integer('statement-days'),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const name = String(issue?.path[0]) === 'statementDays' ? 'statement-days' : String(issue?.path[0]);
  throw usageError(`--${name}: ${issue?.message}`);
}
