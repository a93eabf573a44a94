import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { storeAnswers } from '#platform/store-answers/index.ts';
import { accountOf, addNote } from '#storefront/people/customers/index.ts';
import { groupsNamed } from '#storefront/people/groups/index.ts';
import { type ImportColumn as Column, IMPORT_COLUMNS, unknownColumn } from './columns.ts';
import { change, create } from './customers.ts';
import { CustomerCreate, CustomerUpdate } from './schemas.ts';

/** Cells of a line by their columns. */
export type Cells = Readonly<Record<string, string>>;

/** What became of a line. */
export type RowResult = 'created' | 'updated' | 'unchanged' | 'failed';

/** An export writes a quote before what a spreadsheet would run. */
const plain = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, '').trim();

function flagIn(column: Column, cell: string): boolean {
  if (/^(true|yes|1)$/i.test(cell)) return true;
  if (/^(false|no|0)$/i.test(cell)) return false;
  throw invalidField(column, `“${cell.slice(0, 40)}” is not yes or no`);
}

/** `a, b` and `["a","b"]`. */
function listIn(cell: string): string[] {
  if (cell.startsWith('[')) {
    const read = parsed(cell);
    if (Array.isArray(read))
      return read.map((one: unknown) =>
        typeof one === 'object' && one !== null && 'name' in one ? String(one.name) : String(one),
      );
  }
  return cell.split(/[,;|]/).flatMap((one) => one.trim() || []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a line says of a customer, as a form would send it; empty cells say nothing. */
async function inputOf(ctx: Ctx, cells: Cells): Promise<Record<string, unknown>> {
  const said = Object.entries(cells).flatMap(([column, cell]) => {
    const text = plain(cell);
    return text === '' ? [] : [[column as Column, text] as const];
  });
  const input: Record<string, unknown> = {};
  for (const [column, text] of said) {
    if (column === 'email') input.email = text;
    else if (column === 'first_name') input.firstName = text;
    else if (column === 'last_name') input.lastName = text;
    else if (column === 'tax_id') input.taxId = text;
    else if (column === 'phone' || column === 'locale') input[column] = text;
    else if (column === 'accepts_marketing') input.acceptsMarketing = flagIn(column, text);
    else if (column === 'tax_exempt') input.taxExempt = flagIn(column, text);
    else if (column === 'tags') input.tags = listIn(text);
    else if (column === 'groups') input.groupIds = await groupsIn(ctx, listIn(text));
  }
  return input;
}

/** Groups with a rule fill themselves: an export names them, too, and nothing is to be done. */
async function groupsIn(ctx: Ctx, names: readonly string[]): Promise<string[]> {
  const known = await groupsNamed(ctx, names);
  return names.flatMap((name) => {
    const found = known.get(name);
    if (!found) throw invalidField('groups', `customer group ${name} does not exist`);
    return found.hasRule ? [] : [found.id];
  });
}

/**
 * Takes one line: the account with its address is changed, or made.
 *
 * @throws AppError as `create` and `change`
 */
async function take(ctx: Ctx, cells: Cells): Promise<RowResult> {
  if (!cells.email?.trim())
    throw fail('VALIDATION_ERROR', 'email: is required', {
      details: { issues: [{ path: 'email', rule: 'required', message: 'is required' }] },
    });
  const input = await inputOf(ctx, cells);
  const before = await accountOf(ctx, String(input.email));
  const after = before
    ? await change(ctx, before.id, checkInput(CustomerUpdate, { ...input, email: undefined }), 'import')
    : await create(ctx, checkInput(CustomerCreate, input), 'import');
  const note = plain(cells.note ?? '');
  if (note !== '') await addNote(ctx, after.id, note);
  if (!before) return 'created';
  return after.updatedAt === before.updatedAt && note === '' ? 'unchanged' : 'updated';
}

/** What became of a line, with what was wrong with it. */
export interface RowOutcome {
  readonly index: number;
  readonly email: string | null;
  readonly result: RowResult;
  readonly error?: {
    readonly error_code: string;
    readonly message: string;
    readonly details: Record<string, unknown>;
  };
}

/**
 * Takes lines one after the other, each in a transaction of its own: a refused one costs only itself.
 *
 * @throws AppError VALIDATION_ERROR for a column that is not known; what is no refusal of a line
 */
export async function takeRows(
  ctx: Ctx,
  rows: readonly Cells[],
  seen: Set<string> = new Set(),
): Promise<RowOutcome[]> {
  const wrong = unknownColumn([...new Set(rows.flatMap((row) => Object.keys(row)))]);
  if (wrong !== null)
    throw fail(
      'VALIDATION_ERROR',
      `the column ${wrong} is not known; known are ${IMPORT_COLUMNS.join(', ')}`,
      {
        details: { issues: [{ path: 'rows', rule: 'invalid', message: `have an unknown column ${wrong}` }] },
      },
    );
  const outcomes: RowOutcome[] = [];
  for (const [index, cells] of rows.entries()) {
    const email = cells.email?.trim().slice(0, 255) || null;
    try {
      if (email !== null) requireOnce(seen, email);
      const result = await ctx.tx((ctx) => take(ctx, cells));
      outcomes.push({ index, email, result });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { code, message, details } = storeAnswers.refused(error);
      outcomes.push({ index, email, result: 'failed', error: { error_code: code, message, details } });
    }
  }
  return outcomes;
}

/** A file that names somebody twice says two things of them. */
function requireOnce(seen: Set<string>, email: string): void {
  if (seen.has(email.toLowerCase())) throw invalidField('email', 'appears twice in this file');
  seen.add(email.toLowerCase());
}
