import { sleep } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { LineOutcome } from '#storefront/tools/transfer/view.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { type InputFile, inputFile } from '../input-file.ts';
import { createReport, type ImportReport, writeReport } from './import-report.ts';
import { type LineSent, picturesIn, withoutPictures } from './line-pictures.ts';
import { folderAsked, type PictureFolder, sendPicture } from './picture-files.ts';
import { type TextLine, textLines } from './text-lines.ts';
import { withTransfer } from './transfer-twin.ts';
import type { Answer } from './twin.ts';

/** Of one request: its body must stay below a megabyte. */
const MOST_LINES = 50;
const MOST_CHARACTERS = 300_000;
const LONGEST_LINE = 300_000;

interface Sent {
  readonly number: number;
  readonly line: LineSent;
}

/** What the lines of one file share. */
interface Run {
  readonly cli: Cli;
  readonly desk: Desk;
  readonly folder: PictureFolder | undefined;
  readonly report: ImportReport;
  /** Slugs of categories and collections that lines of a dry run would have made. */
  readonly announced: Set<string>;
  /** SHA-256 of the pictures that were added, or would be: several lines may name the same. */
  readonly added: Set<string>;
}

/** `appctl store product import FILE|-`. @returns 7 when lines failed, else 0 */
export async function importStoreProducts(cli: Cli): Promise<number> {
  const file = inputFile(cli, 'FILE', cli.argument('file'));
  const folder = folderAsked(cli, false);
  return withTransfer(cli, async (desk) => {
    const run: Run = { cli, desk, folder, report: createReport(), announced: new Set(), added: new Set() };
    await takeFile(run, file);
    return writeReport(cli, run.report);
  });
}

async function takeFile(run: Run, file: InputFile): Promise<void> {
  const { cli, report } = run;
  const progress = await cli.byteProgress(cli.spec.path, 0);
  const most = cli.flag('strict') ? 1 : MOST_LINES;
  let [batch, size]: [Sent[], number] = [[], 0];
  try {
    for await (const read of textLines(file.open(), LONGEST_LINE)) {
      const sent = readLine(run, read);
      if (sent !== null) batch.push(sent);
      size += read.text?.length ?? 0;
      if (batch.length >= most || size >= MOST_CHARACTERS) {
        await takeBatch(run, batch);
        [batch, size] = [[], 0];
        progress.update(read.end);
      }
      if (cli.flag('strict') && report.failed > 0) return;
    }
    await takeBatch(run, batch);
  } finally {
    progress.stop();
  }
}

/** A line that is an object; another one is noted as refused. */
function readLine({ cli, report }: Run, { number, text }: TextLine): Sent | null {
  if (text === null) {
    report.fail(number, null, 'VALIDATION_ERROR', `the line has more than ${LONGEST_LINE} characters`);
    return null;
  }
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== 'object' || line === null || Array.isArray(line)) throw new Error('not an object');
    const sent = line as LineSent;
    return { number, line: cli.flag('without-pictures') ? withoutPictures(sent, () => true) : sent };
  } catch {
    const cure = 'write one JSON object per line, as the export does';
    report.fail(number, null, 'VALIDATION_ERROR', `the line is not a JSON object; ${cure}`);
    return null;
  }
}

/** A line that waits for its pictures holds up those behind it: products keep the order in which they are made. */
async function takeBatch(run: Run, batch: readonly Sent[]): Promise<void> {
  let [rest, tried] = [batch, 0];
  while (rest.length > 0) {
    const outcomes = await send(run, rest);
    const last = outcomes.length - 1;
    const [sent, outcome] = [rest[last] as Sent, outcomes[last] as LineOutcome];
    const again = sent.number === tried ? null : await withPictures(run, sent, outcome);
    tried = sent.number;
    for (const [index, one] of outcomes.entries())
      if (again === null || index < last) note(run, rest[index] as Sent, one);
    const behind = rest.slice(outcomes.length);
    rest = again === null ? behind : [again, ...behind];
  }
}

function note({ cli, report, announced }: Run, { number, line }: Sent, outcome: LineOutcome): void {
  const { result, name, error, warnings = [] } = outcome;
  if (result === 'failed' && error !== undefined) {
    const hint = error.details.reason === 'MISSING_PICTURE' ? PICTURE_CURE : '';
    report.fail(number, name, error.error_code, `${error.message}${hint}`);
    return;
  }
  report.done(result as 'created');
  for (const message of warnings) report.warn(number, name, message);
  const isPlace = line.kind === 'category' || line.kind === 'collection';
  if (cli.dryRun && isPlace && name !== null) announced.add(name);
}

const PICTURE_CURE = ', with --media and the folder of the export, or skip pictures with --without-pictures';

const send = ({ desk, folder, announced }: Run, batch: readonly Sent[]): Promise<LineOutcome[]> =>
  patient(async () => {
    const body = {
      lines: batch.map(({ line }) => line),
      announced: [...announced],
      pause_at_missing_picture: folder !== undefined,
    };
    return (await desk.post<Answer<LineOutcome[]>>('products/import', body)).data;
  });

/**
 * Puts the pictures that a line needs into the library, for another try.
 *
 * @returns null when that is not what the line was refused for, or a file is missing
 */
async function withPictures(run: Run, sent: Sent, { error }: LineOutcome): Promise<Sent | null> {
  const { cli, desk, folder, report } = run;
  if (error?.details.reason !== 'MISSING_PICTURE' || folder === undefined) return null;
  const missing = new Set(error.details.missing as string[]);
  const files = [...missing].map((sha256) => folder.find(sha256));
  if (files.some((path) => path === undefined)) return null;
  for (const sha256 of missing) run.added.add(sha256);
  report.pictures = run.added.size;
  // A rehearsal puts nothing into the library: the line is tried without what would be there.
  if (cli.dryRun) return { ...sent, line: withoutPictures(sent.line, (sha256) => missing.has(sha256)) };
  const pictures = picturesIn(sent.line);
  for (const [at, sha256] of [...missing].entries()) {
    const named = pictures.find((one) => one.sha256 === sha256)?.file_name;
    await patient(() => sendPicture(desk, files[at] ?? '', named));
  }
  return sent;
}

const TRIES = 30;
const WAIT_MS = 5000;

/** A server that asks for patience gets it. */
async function patient<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED' || tries >= TRIES) throw error;
      await sleep(WAIT_MS);
    }
  }
}
