import { z } from 'zod';
import { later } from './../sharing.ts';
import { type Checked, report } from './fields.ts';
import { parseTimestamp } from './rfc3339.ts';

/** `"2026-03-01T12:00:00.000Z"`, the `updatedAt` of what is to be changed; `*` takes any. */
const ENTITY_TAG = /^"([^"]+)"$/;

/**
 * Header If-Match of a change (licensing 4.1). The result holds the time as it is stored, or undefined where any state
 * may be changed. A list and a weak tag are refused: a change has read one state.
 */
export const IfMatchHeaders = later(() =>
  z.object({
    'if-match': z
      .string()
      .check((checked: Checked<string>) => {
        if (checked.value === '*') return;
        const time = parseTimestamp(ENTITY_TAG.exec(checked.value)?.[1] ?? '');
        if (time !== null) checked.value = time;
        else report(checked, 'invalid_format', 'must be updatedAt in double quotes, or *');
      })
      .optional()
      .describe('`"<updatedAt>"` as it was read; 412 if it has changed since'),
  }),
);

/** `updatedAt` that the caller read; undefined when any state may be changed. */
export const readAt = (headers: z.output<typeof IfMatchHeaders>): string | undefined =>
  headers['if-match'] === '*' ? undefined : headers['if-match'];
