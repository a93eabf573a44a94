import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { csvText } from '#kernel/records/csv-write.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { type MintFile, MOST_ROWS, readMintFile, tableOf, targets } from './file.ts';
import { type MintedRow, mintRows } from './mint.ts';

const PATH = '/admin/licenses/new/csv';
const MOST_BYTES = 1_000_000;
/** With the text of a file that was read before, and its mapping. */
const FORM_BYTES = 1_500_000;
/** More rows are the work of a task (admin.md 2.1). */
const MOST_AWAITED = 200;
/** Rows whose keys are shown at once: those that are made already cost little. */
const MOST_READ = 1000;
const MOST_SHOWN = 50;

const Form = later(() =>
  z.object({
    step: z.enum(['check', 'run']).optional(),
    text: z.string().max(MOST_BYTES).optional(),
    map: z.array(z.string().max(600)),
    once: z.string().max(64).optional(),
    /** The task was begun: the keys of the next rows are shown, and what it has not made of them yet is made. */
    isBegun: z.string().max(10).optional(),
    /** How many rows were shown before. */
    from: z.string().max(10).optional(),
  }),
);
type Sent = z.output<typeof Form>;

/** Licenses from a CSV file: uploaded, its columns named, tried without effect, then made (admin.md 5.5). */
export const csvPage = page({
  path: PATH,
  title: 'Licenses from CSV',
  audience: { staff: 'licensing:write' },
  layout: PANEL,
  help: 'sell-licenses',
  form: Form,
  formBytes: FORM_BYTES,
  files: { file: { maxCount: 1, maxBytes: () => MOST_BYTES, isText: true } },
  show: async (ctx) =>
    show('licensing/licenses/csv', { path: PATH, most: MOST_ROWS, once: ctx.newId('frm') }),
  async submit(ctx, { form, files }) {
    const [uploaded] = files.file ?? [];
    const text = uploaded?.text ?? form.text ?? '';
    if (text.trim() === '') throw refuseForm('No file was sent', { file: 'Choose a CSV file' });
    const once = form.once || ctx.newId('frm');
    const sent = { ...form, text, once, map: uploaded ? [] : form.map };
    try {
      const file = await readMintFile(text, sent.map.length > 0 ? sent.map : undefined);
      return form.step === 'run' ? await made(ctx, file, sent) : await checked(ctx, file, sent);
    } catch (error) {
      // A column that is not named yet: the page asks which one it is.
      if (!(error instanceof Error && 'fields' in error && 'map' in (error.fields as object))) throw error;
      const { columns } = await tableOf(text);
      const mapping = new Map(columns.map((column, at) => [column, sent.map[at] ?? '']));
      return mappingPage({ columns, mapping, rows: [] }, sent, { fault: error.message, tried: [] }, 400);
    }
  },
});

type Read = Sent & { readonly text: string; readonly once: string };

/** What would become of the rows: of the first ones, where a check of all would be waited for too long. */
async function checked(ctx: Ctx, file: MintFile, sent: Read): Promise<Shown> {
  const rows = file.rows.slice(0, MOST_AWAITED);
  const tried = await mintRows(ctx, { ...file, rows }, { once: sent.once, isRehearsal: true });
  return mappingPage(file, sent, { fault: null, tried });
}

function mappingPage(
  { columns, mapping, rows }: MintFile,
  { text, once }: Read,
  { fault, tried }: { readonly fault: string | null; readonly tried: readonly MintedRow[] },
  status = 200,
): Shown {
  const faults = tried.filter((row) => row.fault !== null);
  return show(
    'licensing/licenses/csv-check',
    {
      path: PATH,
      once,
      text,
      fault,
      columns: columns.map((name) => ({ name, target: mapping.get(name) ?? '' })),
      targets,
      total: rows.length,
      tried: tried.length,
      good: tried.length - faults.length,
      faults: faults.slice(0, MOST_SHOWN),
      moreFaults: Math.max(0, faults.length - MOST_SHOWN),
    },
    { status },
  );
}

/** Whatever a form says, one request makes no more licenses than somebody waits for. */
async function made(ctx: Ctx, file: MintFile, sent: Read): Promise<Shown> {
  const { once, isBegun } = sent;
  const total = file.rows.length;
  if (total > MOST_AWAITED && isBegun !== 'true') return begun(ctx, file, sent);
  const from = /^\d{1,6}$/.test(sent.from ?? '') ? Math.min(Number(sent.from), total) : 0;
  const rows = await mintRows(ctx, file, { once, from, most: MOST_READ, mostNew: MOST_AWAITED });
  const done = rows.filter(({ id }) => id !== null);
  const byLine = new Map(file.rows.map((row) => [row.line, row]));
  const rejects = rows.flatMap(({ line, fault }) =>
    fault === null
      ? []
      : [[...file.columns.map((column) => byLine.get(line)?.cells.get(column) ?? ''), fault]],
  );
  const end = from + rows.length;
  return show('licensing/licenses/csv-made', {
    again: PATH,
    first: from + 1,
    last: end,
    isWhole: from === 0 && end === total,
    total,
    next: end < total ? { ...keptOf(file, sent), from: end, count: Math.min(MOST_READ, total - end) } : null,
    done: done.length,
    worked: rows.length,
    keys: csvText([['line', 'email', 'key', 'id'], ...done.map(keyRow)]),
    rejects: rejects.length === 0 ? null : csvText([[...file.columns, 'error'], ...rejects]),
    rejected: rejects.length,
    shown: rows.slice(0, MOST_SHOWN),
  });
}

/** What the form that asks for the next rows keeps. */
const keptOf = ({ columns, mapping }: MintFile, { once, text }: Read) => ({
  path: PATH,
  once,
  text,
  map: columns.map((column) => mapping.get(column) ?? ''),
});

const keyRow = ({ line, email, key, id }: MintedRow): string[] => [String(line), email, key ?? '', id ?? ''];

/** A task makes them; its report holds no keys, so that the form is kept to ask for them. */
async function begun(ctx: Ctx, file: MintFile, sent: Read): Promise<Shown> {
  const { startTask } = await import('#kernel/jobs/task.ts');
  const { once } = sent;
  const total = file.rows.length;
  const task = await startTask(
    ctx,
    { kind: 'create licenses from CSV', params: { rows: total } },
    async (task) => {
      const rows = await mintRows(ctx, file, { once, progress: (done) => task.progress(done, total) });
      const errors = rows.flatMap(({ line, fault }) => (fault === null ? [] : [{ line, message: fault }]));
      return { rows: total, made: total - errors.length, errors: errors.slice(0, MOST_ROWS) };
    },
  );
  return show('licensing/licenses/csv-begun', {
    taskHref: `/admin/tasks/${encodeURIComponent(task.id)}`,
    total,
    next: { ...keptOf(file, sent), from: 0, count: Math.min(MOST_READ, total) },
  });
}
