import type { Ctx } from '#kernel/context.ts';
import { insertOnce, upsert } from '../settings/index.ts';

/** Rows of `settings` that say which installation this is; they are no settings that anybody changes. */
const KEYS = {
  masterKey: 'system.master_key_id',
  installation: 'system.installation_id',
  served: 'system.served_at',
  masterKeyKept: 'system.master_key_kept',
  lastBackup: 'system.last_backup',
} as const;
type What = keyof typeof KEYS;

/** The address under which the world reaches an installation. */
export interface ServedAt {
  readonly url: string;
  /** Whether the server was told so; false: it was made out of what it listened on. */
  readonly isSet: boolean;
}

async function read(ctx: Pick<Ctx, 'db'>, what: What): Promise<unknown> {
  const row = await ctx.db.knex('settings').where({ key: KEYS[what] }).first('value');
  return row ? JSON.parse(row.value) : null;
}

export async function find(ctx: Pick<Ctx, 'db'>, what: 'masterKey' | 'installation'): Promise<string | null> {
  const value = await read(ctx, what);
  return value === null ? null : String(value);
}

/** Writes it unless there is one already. */
export const insert = (ctx: Ctx, what: 'masterKey' | 'installation', id: string): Promise<void> =>
  insertOnce(ctx, KEYS[what], JSON.stringify(id));

export const findServed = async (ctx: Ctx): Promise<ServedAt | null> =>
  (await read(ctx, 'served')) as ServedAt | null;

export const writeServed = (ctx: Ctx, served: ServedAt): Promise<void> =>
  upsert(ctx, { key: KEYS.served, value: JSON.stringify(served), isSecret: false });

/** That a person has stored the master key somewhere else. */
export interface MasterKeyKept {
  readonly keyId: string;
  readonly at: string;
}

export const findKept = async (ctx: Ctx): Promise<MasterKeyKept | null> =>
  (await read(ctx, 'masterKeyKept')) as MasterKeyKept | null;

export const writeKept = (ctx: Ctx, kept: MasterKeyKept): Promise<void> =>
  upsert(ctx, { key: KEYS.masterKeyKept, value: JSON.stringify(kept), isSecret: false });

/** What servers tell each other of the newest verified backup. */
export interface BackupNote {
  /** ISO, the moment of which it is. */
  readonly createdAt: string;
  /** Where it is, without secrets. */
  readonly target: string;
  readonly sizeBytes: number;
  readonly encrypted: boolean;
}

/** Whether other servers may work on the same database. */
export const mayHaveOthers = ({ db }: Pick<Ctx, 'db'>): boolean => db.dialect !== 'sqlite';

export const findBackupNote = async (ctx: Pick<Ctx, 'db'>): Promise<BackupNote | null> =>
  (await read(ctx, 'lastBackup')) as BackupNote | null;

export const writeBackupNote = (ctx: Ctx, note: BackupNote): Promise<void> =>
  upsert(ctx, { key: KEYS.lastBackup, value: JSON.stringify(note), isSecret: false });
