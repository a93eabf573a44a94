/** A page of the manual: the file `templates/help/<topic>.md`, served at `/help/<topic>`. */
export interface Topic {
  readonly topic: string;
  /** The page's first line says the same. */
  readonly title: string;
}

/** A chapter of the manual, and who may read its pages in a browser. */
export interface Section {
  readonly title: string;
  /** `operators`: about this installation, for staff who signed in. On a terminal everybody reads every page. */
  readonly audience: 'everybody' | 'operators';
  readonly topics: readonly Topic[];
}

const topics = (titles: Record<string, string>): Topic[] =>
  Object.entries(titles).map(([topic, title]) => ({ topic, title }));

/** The manual's table of contents, in the order in which it is shown. */
export const sections: readonly Section[] = [
  {
    title: 'Begin',
    audience: 'everybody',
    topics: topics({
      'five-minutes': 'Five minutes to a validated license',
      'licenses-and-policies': 'Licenses and policies',
    }),
  },
  {
    title: 'Run a server',
    audience: 'operators',
    topics: topics({
      install: 'Install the executable',
      'run-as-a-service': 'Run as a service',
      configure: 'Configure a server',
      'launch-checklist': 'Launch checklist',
      'check-a-server': 'Check on a server',
      'get-alerts': 'Get alerts',
      'reverse-proxy': 'Put a proxy in front',
      certificates: 'TLS certificates',
      'back-up': 'Back up an installation',
      'restore-a-backup': 'Restore a backup',
      'replace-a-lost-server': 'Replace a lost server',
      'copy-an-installation': 'Copy an installation safely',
      'use-the-panel': 'Use the panel',
      'staff-and-roles': 'Staff and roles',
      'audit-log': 'Audit log',
      monitoring: 'Monitor the server',
      reports: 'Reports and statistics',
      'operate-under-load': 'Operate under load',
      'move-to-postgres': 'Move to Postgres',
      'several-servers': 'Run several servers',
      'upgrade-a-server': 'Upgrade',
      security: 'Security',
      'serve-several-tenants': 'Serve several tenants',
      'admin-api': 'Administer over HTTP',
    }),
  },
  {
    title: 'Sell and support',
    audience: 'operators',
    topics: topics({
      'sell-licenses': 'Mint, find and change licenses',
      'set-policies': 'Set policies',
      'support-answers': 'Answer support questions',
      'explain-a-refusal': 'Explain a refusal',
      'replace-a-leaked-key': 'Replace a leaked key',
      'move-licenses': 'Move licenses in and out',
      'work-from-your-desk': 'Work from your desk',
      scripts: 'Use appctl in scripts',
    }),
  },
  {
    title: 'Connect other systems',
    audience: 'operators',
    topics: topics({
      'send-webhooks': 'Send webhooks',
      'send-mail': 'Send email',
      'write-hooks': 'Write hooks',
      purchases: 'Turn purchases into licenses',
    }),
  },
  {
    title: 'Run a shop',
    audience: 'operators',
    topics: topics({
      'open-a-shop': 'Open a shop',
      'take-payments': 'Take payments',
      'import-products': 'Import and export products',
      'stock-and-prices': 'Stock and prices',
      'work-on-orders': 'Work on orders',
      returns: 'Take goods back',
      'tax-and-shipping': 'Tax and shipping',
      promotions: 'Promotions',
      customers: 'Customers and groups',
      'gift-cards': 'Gift cards',
      'sell-files': 'Sell files',
      'sell-license-keys': 'Sell licenses in the shop',
      'customer-accounts': 'Customer accounts',
      'store-reports': 'Reports of the shop',
    }),
  },
  {
    title: 'Release software',
    audience: 'operators',
    topics: topics({
      'ship-a-release': 'Ship a signed release',
      'roll-out-a-release': 'Roll out and withdraw a release',
      'rotate-a-signing-key': 'Rotate a signing key',
      'store-bundles': 'Store bundles',
    }),
  },
  {
    title: 'Build licensing into an application',
    audience: 'everybody',
    topics: topics({
      'call-the-api': 'Call the API',
      limits: 'Limits',
      'use-the-client': 'Integrate the client',
      'license-electron': 'License an Electron application',
      'license-tauri': 'License a Tauri application',
      'license-a-command': 'License a command-line tool',
      'license-a-plugin': 'License a plugin',
      'license-a-server': 'License a server',
      'license-a-web-page': 'License a web page',
      'client-errors': 'Errors a client can see',
      'offline-licenses': 'Issue offline tokens',
      'update-the-application': 'Update the application',
      'test-an-expiry': 'Test an expiry',
      examples: 'Verify in other languages',
    }),
  },
  {
    title: 'Reference',
    audience: 'everybody',
    topics: topics({
      errors: 'Errors by code',
      promises: 'What appctl promises',
      glossary: 'Glossary',
    }),
  },
];

/** Every page, in the order of the table of contents. */
export const allTopics: readonly Topic[] = sections.flatMap((section) => section.topics);
