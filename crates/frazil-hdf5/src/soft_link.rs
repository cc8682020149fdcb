//! A file with a soft link in it and nothing else, from which libhdf5 can copy the link.
//!
//! libhdf5 changes the path of a soft link that it makes (double slashes, one at the end), but not of one that it copies.

use crate::checksum::lookup3;
use crate::header::kind;

/// What the link is called.
pub const NAME: &str = "a";

/// An address that leads nowhere.
const NOWHERE: [u8; 8] = [0xff; 8];
/// Bytes of the superblock, behind which the root group's header lies.
const ROOT_AT: u64 = 48;
const GROUP_INFO: u16 = 0x0a;

/// The bytes of a file with a soft link to a path; `None` if no link can hold it.
#[must_use]
pub fn file_of_soft_link(target: &[u8]) -> Option<Vec<u8>> {
    let root = root_group(target)?;
    let end = ROOT_AT + root.len() as u64;
    let mut file = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
    file.extend(0_u64.to_le_bytes());
    file.extend(NOWHERE);
    file.extend(end.to_le_bytes());
    file.extend(ROOT_AT.to_le_bytes());
    file.extend(lookup3(&file).to_le_bytes());
    file.extend(root);
    Some(file)
}

fn root_group(target: &[u8]) -> Option<Vec<u8>> {
    let path_bytes = u16::try_from(target.len()).ok()?;
    // Version 1, a kind of link is stated: 1, soft; the name has a length of one byte.
    let mut link = vec![1, 0x08, 1, NAME.len() as u8];
    link.extend(NAME.bytes());
    link.extend(path_bytes.to_le_bytes());
    link.extend(target);
    let indexes = [&[0, 0][..], &NOWHERE, &NOWHERE].concat();
    let messages = [
        message(kind::LINK_INFO, &indexes)?,
        message(GROUP_INFO, &[0, 0])?,
        message(kind::LINK, &link)?,
    ]
    .concat();
    // Version 2, its size in 4 bytes.
    let mut header = b"OHDR\x02\x02".to_vec();
    header.extend(u32::try_from(messages.len()).ok()?.to_le_bytes());
    header.extend(messages);
    header.extend(lookup3(&header).to_le_bytes());
    Some(header)
}

fn message(kind: u16, bytes: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(bytes.len()).ok()?.to_le_bytes();
    Some([&[kind as u8, length[0], length[1], 0][..], bytes].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, LinkTarget};

    #[test]
    fn the_link_is_there_as_it_was_given() {
        let bytes = file_of_soft_link(b"//up//down/").unwrap();
        let file = File::open(Box::new(bytes), None).unwrap();
        let links = file.links(&file.root().unwrap()).unwrap();
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].name, NAME);
        assert_eq!(links[0].target, LinkTarget::Soft("//up//down/".to_owned()));
        assert!(file_of_soft_link(&[b'x'; 70_000]).is_none());
    }
}
