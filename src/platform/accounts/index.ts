export { createOwner, findOwner } from './accounts.ts';
export { staffSignInPath } from './pages.ts';
export { generatePassword } from './passwords.ts';
export type { AdminUser } from './record.ts';
