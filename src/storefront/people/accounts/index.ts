export { type Registered, type Registration, register } from './registration.ts';
export { shownCustomer } from './shown.ts';
export {
  admitNew,
  noteSignOut,
  provePassword,
  proveSecondFactor,
  signIn,
} from './sign-in.ts';
export { lookAtVerification, verifyEmail } from './verification.ts';
