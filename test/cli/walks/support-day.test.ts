// A day of whoever answers customers.
import { testWalk } from '../../support/walk.ts';

testWalk('support-day', {
  steps: () => [
    {
      line: 'appctl setup --no-input --owner-email ann@example.com --generate-password --json',
      hidden: true,
    },
    { line: 'appctl product create --name Editor --slug editor', hidden: true },
    {
      line: 'appctl license mint --product editor --email bob.the.builder@long-company-name.example.com --order-id SHOP-2027-0001 --max-activations 2',
      hidden: true,
    },
    {
      line: 'appctl license mint --product editor --email eve@example.com --days 365',
      hidden: true,
    },
    'appctl license list',
    'appctl license find eve@example.com',
    { line: ({ last }) => `appctl license show ${last(/^(lic_\w+)/)} --events` },
  ],
});
