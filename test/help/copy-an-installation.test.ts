import { testPage } from './run-page.ts';

testPage('copy-an-installation');
