import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { putFile, putProbe } from '../contracts/contract-site.ts';
import type { Step } from './memory/steps.ts';

/** Puts a program into a site whose steps are PHP. What is scheduled runs from a plugin of the site. */
export async function putPhpProgram(
  runtime: Runtime,
  site: SiteSpec,
  name: string,
  steps: readonly Step[],
): Promise<string> {
  const hook = `steps_of_${name.replaceAll(/\W/g, '_')}`;
  const planned = steps.flatMap((step) => ('schedule' in step ? step.schedule.steps : []));
  if (planned.length > 0) {
    const code = `<?php add_action('${hook}', function () { ${codeOf(planned, hook)} });`;
    await putFile(runtime, site, `mu-plugins/${name}`, code);
  }
  const needsWordPress = steps.some((step) => WORDPRESS_STEPS.some((kind) => kind in step));
  const start = needsWordPress ? "$_SERVER['HTTP_HOST'] ??= 'x'; require_once '/site/wordpress/wp-load.php';" : '';
  return putProbe(runtime, site, name, start + codeOf(steps, hook));
}

const WORDPRESS_STEPS = ['sayRow', 'setOption', 'mail', 'schedule', 'ask'];
const CONTENT = '/site/wordpress/wp-content';

const codeOf = (steps: readonly Step[], hook: string) => steps.map((step) => code(step, hook)).join('\n');

function code(step: Step, hook: string): string {
  if ('say' in step) return `echo ${php(step.say)};`;
  if ('sayFile' in step) return `readfile(${php(`${CONTENT}/${step.sayFile}`)});`;
  if ('sayRow' in step) return `echo $wpdb->get_var(${php(step.sayRow)});`;
  if ('append' in step) return `file_put_contents(${php(`${CONTENT}/${step.append}`)}, 'x', FILE_APPEND);`;
  if ('setOption' in step) return setOption(...step.setOption);
  if ('hold' in step) return hold(`${CONTENT}/${step.hold}`);
  if ('loop' in step) return 'while (true) { usleep(10000); }';
  if ('fail' in step) return 'this_function_does_not_exist();';
  if ('failUnderPhp' in step)
    return `if (str_starts_with(PHP_VERSION, ${php(step.failUnderPhp)})) this_function_does_not_exist();`;
  if ('log' in step) return `error_log(${php(step.log)});`;
  if ('warn' in step) return `trigger_error(${php(step.warn)}, E_USER_WARNING);`;
  if ('mail' in step) {
    const { to, bcc, subject, text } = step.mail;
    const headers = bcc ? `[${php(`Bcc: ${bcc}`)}]` : '[]';
    return `echo json_encode(wp_mail(${[to, subject, text].map(php).join(', ')}, ${headers}));`;
  }
  if ('schedule' in step) return `wp_schedule_single_event(${step.schedule.atSeconds}, ${php(hook)});`;
  const { path, body } = step.ask;
  return `echo wp_remote_retrieve_body(wp_remote_post(home_url(${php(path)}), ['body' => ${php(body)}, 'timeout' => 60]));`;
}

/** Straight into the table, so that a write that did not get through says so. */
function setOption(name: string, value: string): string {
  const row = `['option_name' => ${php(name)}, 'option_value' => ${php(value)}]`;
  return `if (false === $wpdb->replace($wpdb->options, ${row})) echo $wpdb->last_error; wp_cache_delete('alloptions', 'options');`;
}

function hold(mark: string): string {
  return `file_put_contents(${php(`${mark}.begun`)}, '');
    while (!file_exists(${php(`${mark}.go`)})) { usleep(20000); clearstatcache(); }
    file_put_contents(${php(`${mark}.ended`)}, '');`;
}

/** In single quotes only the quote and the backslash mean anything. */
const php = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
