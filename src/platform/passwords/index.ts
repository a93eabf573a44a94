export { MAX_PASSWORD_LENGTH, minPasswordLength } from './local.ts';
export { checkNewPassword, newPasswordFault, passwordFault, weaknessOf } from './password-rules.ts';
export { generatePassword, hashPassword, requireRoom, verifyPassword } from './passwords.ts';
export {
  type Account,
  type AccountStore,
  passwordSignIn,
  type SignedInAccount,
} from './sign-in.ts';
