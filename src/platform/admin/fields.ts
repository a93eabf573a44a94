/** Input that endpoints of the admin API share (licensing 4.1). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { idField } from '#kernel/service/fields.ts';
import { ListQuery } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';

/** As the reason of a public request (spec, Limits). */
const NOTE_LENGTH = 500;
/** Of values listed in a query string, together. */
const MOST_LISTED = 2000;

/** Query of a list: its page and its filters; an unknown name is refused, because a misspelt filter would show all. */
export const listQuery = <S extends z.ZodRawShape>(filters: S) =>
  z.strictObject({ ...ListQuery.shape, ...filters });

/** A flag of a query string, which always arrives as text. */
export const queryFlag = () => oneOf(['true', 'false']).transform((value) => value === 'true');

/** Several values of a query string, separated by commas: any of them. */
export const severalOf = <S extends z.ZodType<string, string>>(one: S) =>
  text({ min: 1, max: MOST_LISTED })
    .transform((listed) => listed.split(','))
    .pipe(z.array(one));

/** Why a change is made, for the timeline. */
export const noteField = () => optional(text({ max: NOTE_LENGTH }));

/** The ctx of a change that somebody gave a reason for: each of its rows in the audit log has it. */
export const noting = (ctx: Ctx, { note }: { readonly note?: string | undefined }): Ctx =>
  note === undefined ? ctx : ctx.with({ origin: { ...ctx.origin, note } });

/** Body of an action that needs none. */
export const NoBody = z.strictObject({});
export const NoteBody = later(() => NoBody.extend({ note: noteField() }).meta({ id: 'NoteBody' }));

/** `{id}` of a path. */
export const IdParams = z.strictObject({ id: idField() });

/** What is left of something that was deleted. */
export const Deleted = later(() =>
  z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'Deleted' }),
);

/** The scope of an endpoint that is open to whoever signed in and to every token. */
export const ANY_STAFF = 'staff';
