import { z } from 'zod';
import { flag, oneLine, oneOf, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { CustomerView } from '#storefront/people/customers/index.ts';

const line = (max: number) => optional(text({ max, trim: true, form: oneLine }).nullable());

/** `2001-05-06`, of somebody who has been born. */
const isBirthday = (day: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) &&
  day >= '1900-01-01' &&
  !Number.isNaN(Date.parse(day)) &&
  new Date(Date.parse(day)).toISOString().startsWith(day);

export const ProfileBody = later(() =>
  z
    .object({
      first_name: line(100),
      last_name: line(100),
      phone: line(50),
      birthday: optional(
        text({ max: 10, trim: true })
          .refine((day) => day === '' || isBirthday(day), { error: 'must be a day such as 1990-05-06' })
          .nullable(),
      ),
    })
    .meta({ id: 'CustomerProfileBody' }),
);

export const PreferencesBody = z
  .object({
    accepts_marketing: optional(flag()),
    cart_reminders: optional(flag()),
    review_requests: optional(flag()),
  })
  .meta({ id: 'CustomerPreferencesBody' });

export const PreferencesView = later(() =>
  z
    .object({ accepts_marketing: z.boolean(), cart_reminders: z.boolean(), review_requests: z.boolean() })
    .meta({ id: 'CustomerPreferences' }),
);

export const ProfileView = z
  .object({ ...CustomerView.shape, birthday: z.string().nullable() })
  .meta({ id: 'CustomerProfile' });

/** The word that somebody sends who deletes the account. */
export const DELETE_WORD = 'DELETE';

export const DeleteBody = later(() =>
  z
    .object({ password: text({ min: 1, max: 1000 }), confirm: oneOf([DELETE_WORD]) })
    .meta({ id: 'DeleteAccountBody' }),
);
