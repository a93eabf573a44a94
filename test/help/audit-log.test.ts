import { testPage } from './run-page.ts';

testPage('audit-log');
