import type { Ctx } from '#kernel/context.ts';
import { recoveryCodeRecord, secondFactorRecord } from './record.ts';

const FACTORS = secondFactorRecord.table;
const CODES = recoveryCodeRecord.table;

export interface Factor {
  /** Base32, sealed. */
  secretEnc: string;
  enabledAt: string | null;
}

export async function find(ctx: Ctx, subjectId: string): Promise<Factor | null> {
  const row = await ctx.db.knex(FACTORS).where({ subject_id: subjectId }).first();
  return row ? { secretEnc: row.secret_enc, enabledAt: row.enabled_at } : null;
}

/** Puts a secret that no code has confirmed in place of another such one. @returns false where one is confirmed */
export async function putPending(ctx: Ctx, subjectId: string, secretEnc: string): Promise<boolean> {
  const { knex } = ctx.db;
  const row = secondFactorRecord.write(
    { subjectId, enabledAt: null, createdAt: ctx.now() },
    { secretEnc, lastStep: 0 },
  );
  await knex(FACTORS).insert(row).onConflict('subject_id').ignore();
  const changed = await knex(FACTORS)
    .where({ subject_id: subjectId })
    .whereNull('enabled_at')
    .update({ secret_enc: secretEnc, last_step: 0 });
  return changed === 1;
}

/** Switches a pending factor on. @returns false when it is on already, or the secret was replaced meanwhile */
export async function enable(
  ctx: Ctx,
  subjectId: string,
  secretEnc: string,
  lastStep: number,
): Promise<boolean> {
  const changed = await ctx.db
    .knex(FACTORS)
    .where({ subject_id: subjectId, secret_enc: secretEnc })
    .whereNull('enabled_at')
    .update({ enabled_at: ctx.now(), last_step: lastStep });
  return changed === 1;
}

/** Takes the 30 seconds of a code, so that it works once, even in parallel (M14). */
export async function takeStep(ctx: Ctx, subjectId: string, step: number): Promise<boolean> {
  const changed = await ctx.db
    .knex(FACTORS)
    .where({ subject_id: subjectId })
    .whereNotNull('enabled_at')
    .andWhere('last_step', '<', step)
    .update({ last_step: step });
  return changed === 1;
}

/** Uses a recovery code up; of two at once one has it. */
export async function takeCode(ctx: Ctx, subjectId: string, codeHash: string): Promise<boolean> {
  const changed = await ctx.db
    .knex(CODES)
    .where({ subject_id: subjectId, code_hash: codeHash })
    .whereNull('used_at')
    .update({ used_at: ctx.now() });
  return changed === 1;
}

export async function replaceCodes(ctx: Ctx, subjectId: string, hashes: readonly string[]): Promise<void> {
  const { knex } = ctx.db;
  await knex(CODES).where({ subject_id: subjectId }).delete();
  if (hashes.length === 0) return;
  const createdAt = ctx.now();
  await knex(CODES).insert(
    hashes.map((codeHash) => recoveryCodeRecord.write({ subjectId, usedAt: null, createdAt }, { codeHash })),
  );
}

export async function countCodes(ctx: Ctx, subjectId: string): Promise<number> {
  const [row] = await ctx.db
    .knex(CODES)
    .where({ subject_id: subjectId })
    .whereNull('used_at')
    .count({ n: '*' });
  return Number(row?.n ?? 0);
}

/** @returns whether there was a factor that was switched on */
export async function remove(ctx: Ctx, subjectId: string): Promise<boolean> {
  const found = await find(ctx, subjectId);
  await ctx.db.knex(FACTORS).where({ subject_id: subjectId }).delete();
  await replaceCodes(ctx, subjectId, []);
  return found?.enabledAt != null;
}
