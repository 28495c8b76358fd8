//! What a shell wants of a command: completions and a manual page.

use clap::CommandFactory;

use crate::args::Arguments;
use crate::output::{Answer, print};

pub(crate) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "mercer", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Answer::Yes)
}

pub(crate) fn manual() -> anyhow::Result<Answer> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Answer::Yes)
}
