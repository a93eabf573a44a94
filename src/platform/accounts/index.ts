export { createOwner, findOwner } from './accounts.ts';
export { generatePassword, verifyPassword } from './passwords.ts';
export type { AdminUser } from './repository.ts';
