// A day of whoever answers customers.
import { testWalk } from '../../support/walk.ts';

const LONG = 'bob.the.builder@long-company-name.example.com';
const mint = 'appctl license mint --product editor';

testWalk('support-day', {
  steps: () => [
    {
      line: 'appctl setup --no-input --owner-email ann@example.com --generate-password --product editor',
      hidden: true,
    },
    { line: `${mint} --email ${LONG} --order-id SHOP-2027-0001 --max-activations 2`, hidden: true },
    { line: `${mint} --email eve@example.com --days 365`, hidden: true },
    { line: `${mint} --email eve@example.com --days 30 --type SUBSCRIPTION`, hidden: true },
    'appctl license list',
    'appctl license find SHOP-2027-0001',
    { line: 'appctl license show eve@example.com', code: 2 },
    `appctl license show ${LONG} --events`,
    {
      line: ({ last }) => `appctl license validate --license ${last(/^(lic_\w{13})/)} --machine machine-0001`,
      code: 5,
    },
    'appctl license machines list SHOP-2027-0001',
    { line: 'appctl license rekey SHOP-2027-0001 --reason "posted in a forum"', answers: [['Go on?', 'y']] },
    {
      line: ({ last }) =>
        `appctl license show ${last(/(APP-\w{4})… {2}editor {3}bob|(?:^lic_\S+ {2}(APP-\w{4})…)/)}`,
    },
    'appctl license renew SHOP-2027-0001 --days 30',
    'appctl requests list --license SHOP-2027-0001',
  ],
});
