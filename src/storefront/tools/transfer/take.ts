import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { storeAnswers } from '#platform/store-answers/index.ts';
import { KINDS, type Line, lineSchemas } from './line.ts';
import { takeOrder, takeRelations } from './links.ts';
import { type Announced, type Taken, takeCategory, takeCollection } from './places.ts';
import { lockImport } from './repository.ts';
import { takeProduct } from './take-product.ts';
import type { LineOutcome } from './view.ts';

/** A line as it was sent, once it is known to be one. @throws AppError VALIDATION_ERROR */
function readLine(sent: Readonly<Record<string, unknown>>): Line {
  const kind = KINDS.find((one) => one === sent.kind);
  if (kind === undefined) throw invalidField('kind', `must be one of ${KINDS.join(', ')}`);
  return checkInput(lineSchemas[kind], sent) as Line;
}

/** Takes one line, in a transaction of its own. @throws AppError as the use cases behind it */
export function takeLine(ctx: Ctx, line: Line, announced: Announced = new Set()): Promise<Taken> {
  // The handle of the transaction does not know it.
  const isTrial = isRehearsal(ctx);
  return ctx.tx(async (ctx) => {
    // Of a file that is sent twice at once, each line finds what its twin has made. A rehearsal would hold the name for long.
    if (!isTrial) await lockImport(ctx);
    return taken(ctx, line, announced, isTrial);
  });
}

async function taken(ctx: Ctx, line: Line, announced: Announced, isTrial: boolean): Promise<Taken> {
  if (line.kind === 'relations') return takeRelations(ctx, line, isTrial);
  if (line.kind === 'order') return takeOrder(ctx, line, isTrial);
  if (line.kind === 'category') return { result: await takeCategory(ctx, line, announced) };
  if (line.kind === 'collection') return { result: await takeCollection(ctx, line, announced) };
  return { result: await takeProduct(ctx, line, announced) };
}

/** How lines are taken. */
interface TakingLines {
  /** Slugs of categories and collections that lines before these make, for a rehearsal. */
  readonly announced?: readonly string[] | undefined;
  /** A line whose pictures are missing is the last one: once they are there, it and those behind it are sent again. */
  readonly pauses?: boolean | undefined;
}

/**
 * Takes lines one after the other, each in a transaction of its own: a refused one costs only itself.
 *
 * @throws what is no refusal of a line
 */
export async function takeLines(
  ctx: Ctx,
  lines: readonly Readonly<Record<string, unknown>>[],
  { announced = [], pauses = false }: TakingLines,
): Promise<LineOutcome[]> {
  const isTrial = isRehearsal(ctx);
  const known = new Set(isTrial ? announced : []);
  const outcomes: LineOutcome[] = [];
  for (const [index, sent] of lines.entries()) {
    const name = nameOf(sent);
    try {
      const line = readLine(sent);
      const { result, warnings = [] } = await takeLine(ctx, line, known);
      outcomes.push({ index, name, result, ...(warnings.length > 0 && { warnings: [...warnings] }) });
      if (isTrial && (line.kind === 'category' || line.kind === 'collection')) known.add(line.slug);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { code, message, details } = storeAnswers.refused(error);
      outcomes.push({ index, name, result: 'failed', error: { error_code: code, message, details } });
      if (pauses && details.reason === 'MISSING_PICTURE') break;
    }
  }
  return outcomes;
}

const nameOf = ({ slug, title, name }: Readonly<Record<string, unknown>>): string | null =>
  [slug, title, name].find((one): one is string => typeof one === 'string')?.slice(0, 255) ?? null;
