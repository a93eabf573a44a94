import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';

/** Lines of files are taken one after the other, whoever sent them; holds the others until the transaction ends. */
export const lockImport = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-import');
