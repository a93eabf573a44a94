import type { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { refuseForm } from '#kernel/http/page.ts';

/** Judged by the rules of passwords: here only what no form may send. */
const typed = () => text({ min: 1, max: 1000 });

/** The two fields of a password that somebody chooses. */
export const NewPassword = {
  password: typed(),
  passwordAgain: typed().meta({ title: 'New password again' }),
};
export const CurrentPassword = { currentPassword: typed() };

/** @throws FormRefusal when both fields do not hold the same password */
export function requireSame({ password, passwordAgain }: z.output<z.ZodObject<typeof NewPassword>>): void {
  if (password === passwordAgain) return;
  const said = 'The passwords do not match';
  throw refuseForm(said, { passwordAgain: said });
}
