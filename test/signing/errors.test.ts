import { expect, test } from 'vitest';
import { fail as licensing } from '#licensing/contract/errors.ts';
import { fail } from '#signing/errors.ts';

test.each(Object.entries(fail.table))(
  '%s has the status that the license service answers with',
  (code, [status]) => {
    expect(licensing.table[code as keyof typeof fail.table][0]).toBe(status);
  },
);
