import type { Ctx } from '#kernel/context.ts';
import { SealError } from '#kernel/crypto.ts';
import type { Values } from './template.ts';

/** A value may open an account: nobody reads it in the database or in a copy of it (reliability R20). */
const ownerOf = (id: string): string => `email:${id}`;

/** @param id of the mail, to which they are bound */
export const sealValues = ({ keyring }: Ctx, id: string, values: Values): string =>
  keyring.seal('secret', JSON.stringify(values), ownerOf(id));

/** What the places of a mail hold. @returns why they cannot be read, where another key sealed them */
export function openValues({ keyring }: Ctx, id: string, sealed: string): Values | string {
  try {
    return JSON.parse(keyring.open('secret', sealed, ownerOf(id)));
  } catch (error) {
    if (error instanceof SealError) return error.message;
    throw error;
  }
}
