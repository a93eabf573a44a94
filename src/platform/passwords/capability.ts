import { capability } from '#kernel/capability.ts';
import { passwordsLocal } from './local.ts';

/** Passwords of staff and of customers: their rules, how they are hashed, and how they open an account. */
export const passwords = capability(passwordsLocal);
