import type { SettingName } from '#kernel/settings-reader.ts';
import { featureSettings } from '#storefront/contract/settings.ts';

/** A page of the account, as its navigation shows it. */
export interface AccountPlace {
  readonly path: string;
  /** Key of its text. */
  readonly label: string;
  /** The switch without which it is not there. */
  readonly enabledBy?: SettingName<boolean>;
}

export const ACCOUNT = '/shop/account';
export const SECURITY = `${ACCOUNT}/security`;

/** What customers find in their account, in this order. */
export const accountPlaces: readonly AccountPlace[] = [
  { path: ACCOUNT, label: 'account.overview' },
  { path: `${ACCOUNT}/orders`, label: 'account.orders' },
  { path: `${ACCOUNT}/downloads`, label: 'download.title' },
  { path: `${ACCOUNT}/returns`, label: 'return.list', enabledBy: featureSettings.returns_enabled },
  { path: `${ACCOUNT}/addresses`, label: 'account.addresses' },
  {
    path: `${ACCOUNT}/gift-cards`,
    label: 'account.gift_cards',
    enabledBy: featureSettings.gift_cards_enabled,
  },
  { path: `${ACCOUNT}/profile`, label: 'account.profile' },
  { path: SECURITY, label: 'account.security' },
  { path: `${ACCOUNT}/preferences`, label: 'account.preferences' },
  { path: `${ACCOUNT}/delete`, label: 'account.privacy' },
];
