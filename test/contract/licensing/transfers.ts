// Files that staff takes out and brings in.
import type { Ctx } from '#kernel/context.ts';
import { startExport, startImport } from '#licensing/moving/transfers/index.ts';
import type { Sent } from '../../support/http-client.ts';
import type { AdminRows } from '../row.ts';

export const adminRows: AdminRows = {
  'POST /exports': 'licensing:secrets',
  'GET /exports/{id}': 'licensing:secrets',
  'GET /exports/{id}/file': 'licensing:secrets',
  'DELETE /exports/{id}': 'licensing:secrets',
  'POST /imports': 'licensing:danger',
  'GET /imports/{id}': 'licensing:danger',
};

export const transferBodies = {
  'POST /exports': () => ({ entities: ['customer', 'policy'], format: 'jsonl', filter: {} }),
};

const FILE = 'email,name\nann@x.test,Ann\n';

/** What is sent in place of a body. */
export const transferUploads: Record<string, Sent> = {
  'POST /imports': { body: FILE, headers: { 'Content-Type': 'application/octet-stream' } },
};

/** What stands after the path. */
export const transferQueries: Record<string, string> = {
  'POST /imports': '?source=csv&entity=customers&dryRun=true',
};

/** An export and an import that have ended. */
export type TransferWorld = {
  readonly exported: string;
  readonly imported: string;
};

export async function worldTransfers(ctx: Ctx): Promise<TransferWorld> {
  const { id } = await startExport(ctx, { entities: ['policy'], format: 'jsonl' });
  const file = async function* () {
    yield Buffer.from(FILE);
  };
  const asked = { source: 'csv', entity: 'customers', dryRun: true } as const;
  const taken = await startImport(ctx, asked, { filename: 'customers.csv', stream: file() });
  return { exported: id, imported: taken.id };
}

export const transferPathIn = (path: string, world: TransferWorld): string =>
  path
    .replace('exports/{id}', `exports/${world.exported}`)
    .replace('imports/{id}', `imports/${world.imported}`);
