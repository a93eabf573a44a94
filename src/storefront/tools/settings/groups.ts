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
  branding: ['Branding', 'Logo, colors, start page, footer and style sheet'],
  inventory: ['Inventory', 'When stock counts as low'],
  media: ['Pictures', 'How pictures are rendered'],
  webhooks: ['Webhook deliveries', 'How often and how long a delivery is tried'],
  payment: ['Payment', 'How buyers pay, and when the money is taken'],
  tax: ['Tax', 'Whether prices include tax, and whose address decides which tax zone applies'],
  promotions: ['Promotions', 'How several promotions work together'],
  'gift-cards': ['Gift cards', 'How long gift cards are valid, and which amounts shoppers can choose'],
  security: ['Customer accounts', 'What customers do before they sign in'],
  returns: [
    'Returns',
    'How long customers can return goods, what is approved by itself, and what is kept back',
  ],
  licenses: ['Licenses', 'What refunds do to licenses that were sold'],
  email: ['Email', 'Mail server that sends emails, and whom they come from'],
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
  home_hero_title: 'Headline of the start page',
  home_hero_text: 'Text of the start page',
  home_hero_media_id: 'Picture of the start page',
  home_hero_link: 'Link of the start page',
  footer_html: 'Footer (HTML)',
  custom_css: 'Style sheet (CSS)',
  smtp_host: 'Mail server',
  smtp_port: 'Port',
  smtp_user: 'User name',
  smtp_password: 'Password',
  smtp_secure: 'Encryption',
  email_from_name: 'From (name)',
  email_from_address: 'From (address)',
  email_reply_to: 'Answers go to',
  email_staff_addresses: 'Addresses that get the emails for staff',
  email_log_days: 'Days for which emails are listed',
  timezone: 'Time zone',
  promotion_stacking_mode: 'Several promotions',
  promotion_max_stack: 'Most promotions together',
  gift_card_expiry_days: 'Valid for (days)',
  gift_card_min_cents: 'Smallest amount (cents)',
  gift_card_max_cents: 'Largest amount (cents)',
  license_default_on_refund: 'A refund of what they were sold with',
  return_window_days: 'Days to ask for a return',
  return_ship_days: 'Days to send the goods',
  return_auto_approve: 'Approve small returns by themselves',
  return_auto_approve_max_cents: 'Largest of these (cents)',
  restocking_fee_bps: 'Restocking fee (hundredths of a percent)',
  return_instructions: 'How goods are sent back',
  payment_capture_mode: 'When the money is taken',
  order_payment_window_minutes: 'Minutes to pay',
  offline_payment_days: 'Days to pay offline',
  offline_instructions: 'Instructions for offline payments',
  require_email_verification: 'Customers verify their email address',
  media_webp_quality: 'Quality of pictures',
};

/** What a person calls a setting. */
export const labelOf = (key: string): string => labels[key] ?? sentence(key.replaceAll('_', ' '));
