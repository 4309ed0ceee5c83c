import type { Command } from 'commander';
import { Stop } from '../exit.ts';
import type { GetCli } from './shared.ts';

/** Each asks us for the words that fit, so that names of sites are among them. */
const SCRIPTS: Record<string, string> = {
  bash: `# siteyard for bash: source <(siteyard completion bash)
_siteyard() {
  local IFS=$'\\n'
  COMPREPLY=($(siteyard __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _siteyard siteyard`,
  zsh: `#compdef siteyard
# siteyard for zsh: source <(siteyard completion zsh), or keep it as _siteyard in a folder of $fpath
_siteyard() {
  local -a found
  found=("\${(@f)$(siteyard __complete "\${(@)words[2,$CURRENT]}" 2>/dev/null | sed -e 's/:/\\\\:/g' -e 's/\\t/:/')}")
  (( \${#found} )) && _describe siteyard found
}
compdef _siteyard siteyard`,
  fish: `# siteyard for fish: siteyard completion fish | source
function __siteyard_complete
    set -l words (commandline -opc) (commandline -ct)
    siteyard __complete $words[2..] 2>/dev/null
end
complete -c siteyard -f -a '(__siteyard_complete)'`,
};

export function build(command: Command, getCli: GetCli): void {
  command
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', "\n  $ echo 'source <(siteyard completion bash)' >> ~/.bashrc")
    .action(async (shell: string) => {
      const script = SCRIPTS[shell];
      if (script === undefined)
        throw new Stop(`There is none for ${shell}.`, { advice: 'There are: bash, zsh, fish.' });
      (await getCli()).screen.print(script);
    });
}
