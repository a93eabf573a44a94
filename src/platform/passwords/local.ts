import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import { setting } from '#kernel/settings.ts';

const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

export const minPasswordLength = setting({
  key: 'min_password_length',
  group: 'security',
  description: 'Minimum length of new passwords, in characters',
  schema: () =>
    z.int('must be a whole number of characters').min(MIN_PASSWORD_LENGTH).max(MAX_PASSWORD_LENGTH),
  default: MIN_PASSWORD_LENGTH,
});

export const passwordsLocal = { name: 'passwords', settings: [minPasswordLength] } satisfies LocalPart;
