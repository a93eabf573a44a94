// What became of the rows of a bulk run.
import { setTimeout } from 'node:timers/promises';
import type { Ctx } from '#kernel/context.ts';
import { getTask, type Task } from '#kernel/jobs/task.ts';
import type { HttpReply } from '../../support/http-client.ts';

/** Each row and the code of its refusal; null where it succeeded. */
export function outcomes({ status, text }: HttpReply): [id: string, code: string | null][] {
  if (status !== 200) throw new Error(`a bulk run answered ${status}: ${text}`);
  const { results } = JSON.parse(text) as { results: { id: string; error?: { code: string } }[] };
  return results.map(({ id, error }) => [id, error?.code ?? null]);
}

/** The audit log of a tenant, oldest first. */
export const auditRows = (ctx: Ctx): Promise<{ target_id: string; action: string }[]> =>
  ctx.db.knex('audit_log').where({ tenant_id: ctx.tenantId }).orderBy('seq').select('target_id', 'action');

/** A task that a bulk run became, watched until it has ended. @param at told of how far it is, each time that it is looked at */
export async function endOf(
  ctx: Ctx,
  id: string,
  at: (task: Task) => Promise<unknown> = async () => undefined,
): Promise<Task> {
  for (;;) {
    const task = await getTask(ctx, id);
    if (task.status !== 'RUNNING') return task;
    await at(task);
    await setTimeout(50);
  }
}

/** The report of a bulk run that was a task: rows that were refused, and how many there were in all. */
export interface BulkReport {
  readonly results: readonly { id: string; success: boolean; error?: { code: string; message: string } }[];
  readonly summary: { total: number; succeeded: number; failed: number };
}
