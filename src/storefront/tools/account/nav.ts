/** A page of the account, as its navigation shows it. */
export interface AccountPlace {
  readonly path: string;
  /** Key of its text. */
  readonly label: string;
}

export const ACCOUNT = '/shop/account';
export const SECURITY = `${ACCOUNT}/security`;

/** What customers find in their account, in this order. */
export const accountPlaces: readonly AccountPlace[] = [
  { path: ACCOUNT, label: 'account.overview' },
  { path: `${ACCOUNT}/returns`, label: 'return.list' },
  { path: SECURITY, label: 'account.security' },
];
