import { expect, it } from 'vitest';
import { addressLines } from '#storefront/contract/address.ts';

const ann = {
  firstName: 'Ann',
  lastName: 'Miller',
  company: null,
  line1: '1 Main Street',
  line2: null,
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  country: 'US',
  phone: '+1 555 0100',
};

it('writes an address as its country does, with the country by its name in the language of the reader', () => {
  expect(addressLines(ann, 'en')).toEqual([
    'Ann Miller',
    '1 Main Street',
    'Springfield, IL 62701',
    'United States',
  ]);
  expect(
    addressLines({ ...ann, city: 'Berlin', state: null, postalCode: '10115', country: 'DE' }, 'de'),
  ).toEqual(['Ann Miller', '1 Main Street', '10115 Berlin', 'Deutschland']);
  expect(
    addressLines({ ...ann, city: 'London', state: null, postalCode: 'N1 9GU', country: 'GB' }, 'fr-CA').slice(
      2,
    ),
  ).toEqual(['London N1 9GU', 'Royaume-Uni']);
});

it('leaves out what is unknown', () => {
  const bare = { ...ann, firstName: null, lastName: null, city: '', state: null, postalCode: null };
  expect(addressLines(bare, 'en')).toEqual(['1 Main Street', 'United States']);
});
