export { createOwner, emailFault, findOwner } from './accounts.ts';
export { type Link, linkFor } from './links.ts';
export { askForReset } from './mails.ts';
export { linkTries, staffOwedPath, staffSignInPath } from './pages/paths.ts';
export { changePassword, resetPassword, usePasswordLink } from './password-change.ts';
export {
  confirmTwoFactor,
  disableTwoFactor,
  disableTwoFactorBy,
  endSession,
  endSessions,
  renewRecoveryCodes,
  resetTwoFactor,
  sessionsOf,
  setupTwoFactor,
  signInByLink,
} from './protection.ts';
export { ownersWithoutSecondFactor, staffRows } from './queries.ts';
export type { AdminUser } from './record.ts';
export { disable, enable, remove, setRoles, setScopes } from './rights/rights.ts';
export { issueSetupLink } from './setup-link.ts';
export {
  noteSignOut,
  provePassword,
  proveSecondFactor,
  type SignedInAccount,
  signIn,
} from './sign-in.ts';
export { create, get, invite, type StaffInput, unlock, update } from './staff.ts';
export { AdminUserView, adminUserView } from './store-view.ts';
export { hasSudo, sudoFirst } from './sudo.ts';
export { codeTries, passwordTries, resetTries, signInCodeTries, signInTries } from './tries.ts';
export { beginViewAs, endViewAs } from './view-as.ts';
