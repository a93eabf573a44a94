export { browserName, deviceWords } from './device-words.ts';
export { confirmEmailChange, lookAtEmailChange, requestEmailChange } from './email-change.ts';
export { mailEmailChangeNotice } from './mails.ts';
export { noteDevice } from './new-sign-in.ts';
export { changePassword, forgotPassword, lookAtReset, resetPassword } from './password-change.ts';
export { fieldFault } from './passwords.ts';
export {
  disableTwoFactor,
  enableTwoFactor,
  endSession,
  endSessions,
  pendingTwoFactor,
  renewRecoveryCodes,
  sessionsOf,
  setupTwoFactor,
} from './protection.ts';
export { type Registered, type Registration, register } from './registration.ts';
export { shownCustomer } from './shown.ts';
export {
  admitNew,
  noteSignOut,
  provePassword,
  proveSecondFactor,
  signIn,
} from './sign-in.ts';
export { sendInvite, sendReset } from './staff-links.ts';
export { lookAtVerification, resendVerification, verifyEmail } from './verification.ts';
