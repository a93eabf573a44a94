import { mailSettings } from '#platform/mail/index.ts';
import { settingsWithoutField, storeSettings } from '#storefront/contract/settings.ts';

/** Settings that are edited together. */
export interface Group {
  /** Of its settings. */
  readonly name: string;
  /** Of its page. */
  readonly path: string;
  readonly label: string;
  readonly about: string;
  readonly keys: readonly string[];
}

const words: Readonly<Record<string, readonly [label: string, about: string]>> = {
  general: ['General', 'Name, country and currency of the shop'],
  branding: ['Branding', 'Logo, colors, home page, footer and style sheet'],
  inventory: ['Inventory', 'When stock counts as low'],
  media: ['Pictures', 'How pictures are rendered'],
  webhooks: ['Webhook deliveries', 'How often and how long deliveries are retried'],
  payment: ['Payment', 'How buyers pay, and when payments are captured'],
  tax: ['Tax', 'Whether prices include tax, and which address decides the tax zone'],
  promotions: ['Promotions', 'How several promotions work together'],
  'gift-cards': ['Gift cards', 'How long gift cards are valid, and which amounts shoppers can choose'],
  security: ['Customer accounts', 'What customers must do before they sign in'],
  returns: [
    'Returns',
    'How long customers can return items, what is approved automatically, and the restocking fee',
  ],
  licenses: ['Licenses', 'What refunds do to sold licenses'],
  email: ['Email', 'Mail server and sender of emails'],
};

export const START = '/store/settings';

/** The webhooks themselves have the page of that name. */
const taken: ReadonlySet<string> = new Set(['webhooks']);

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Groups of which something can be set in a form, in the order in which their settings are declared. */
export const groups: readonly Group[] = [
  ...Map.groupBy(
    [...storeSettings, ...mailSettings].filter(({ key }) => !settingsWithoutField.has(key)),
    ({ group }) => group,
  ),
].map(([name, settings]) => {
  const [label = sentence(name), about = ''] = words[name] ?? [];
  const path = `${START}/${taken.has(name) ? `${name}-delivery` : name}`;
  return { name, path, label, about, keys: settings.map(({ key }) => key) };
});

const labels: Readonly<Record<string, string>> = {
  logo_media_id: 'Logo',
  favicon_media_id: 'Icon',
  announcement_text: 'Announcement',
  home_hero_title: 'Home page headline',
  home_hero_text: 'Home page text',
  home_hero_media_id: 'Picture of the start page',
  home_hero_link: 'Home page link',
  footer_html: 'Footer (HTML)',
  custom_css: 'Style sheet (CSS)',
  smtp_host: 'Mail server',
  smtp_port: 'Port',
  smtp_user: 'User name',
  smtp_password: 'Password',
  smtp_secure: 'Encryption',
  email_from_name: 'From (name)',
  email_from_address: 'From (address)',
  email_reply_to: 'Reply-to address',
  email_staff_addresses: 'Addresses for staff emails',
  email_log_days: 'Days to list emails',
  timezone: 'Time zone',
  promotion_stacking_mode: 'Several promotions',
  promotion_max_stack: 'Maximum combined promotions',
  gift_card_expiry_days: 'Valid for (days)',
  gift_card_min_cents: 'Smallest amount (cents)',
  gift_card_max_cents: 'Largest amount (cents)',
  license_default_on_refund: 'When refunded',
  return_window_days: 'Days to ask for a return',
  return_ship_days: 'Days to send the goods',
  return_auto_approve: 'Approve small returns automatically',
  return_auto_approve_max_cents: 'Up to this value (cents)',
  restocking_fee_bps: 'Restocking fee (hundredths of a percent)',
  return_instructions: 'Return instructions',
  payment_capture_mode: 'Payment capture',
  order_payment_window_minutes: 'Minutes to pay',
  offline_payment_days: 'Days to pay offline',
  offline_instructions: 'Instructions for offline payments',
  require_email_verification: 'Require email verification',
  media_webp_quality: 'Picture quality',
};

/** What a person calls a setting. */
export const labelOf = (key: string): string => labels[key] ?? sentence(key.replaceAll('_', ' '));
