import { z } from 'zod';
import { setting } from '#kernel/settings.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './passwords.ts';

export const minPasswordLength = setting({
  key: 'min_password_length',
  group: 'security',
  description: 'Characters that a new password must have at least',
  schema: z.int('must be a whole number of characters').min(MIN_PASSWORD_LENGTH).max(MAX_PASSWORD_LENGTH),
  default: MIN_PASSWORD_LENGTH,
});
